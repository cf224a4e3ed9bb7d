import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PodTemplate } from '../../../generated/types/core-v1.ts';
import { defineResource, type StrategyContext } from '../../resource-definition.ts';
import { labelsText } from '../../table-cells.ts';
import { NAME_COLUMN } from '../../table-columns.ts';
import { setPodTemplateDefaults } from '../pod-spec/defaults.ts';
import { containerImages, containerNames } from '../pod-spec/table-cells.ts';
import { validatePodTemplateSpec } from '../pod-spec/validation.ts';
import { podTemplateWarnings } from '../pod-spec/warnings.ts';

/** A stored template; nothing makes pods from it without a controller. */
export const podTemplate = defineResource<PodTemplate>({
  group: '',
  resource: 'podtemplates',
  kind: 'PodTemplate',
  singular: 'podtemplate',
  namespaced: true,
  hub: 'v1',
  versions: [
    {
      groupVersion: 'v1',
      message: 'core/v1.PodTemplate',
      setDefaults: (object: PodTemplate) => setPodTemplateDefaults(object.template),
    },
  ],
  storageVersion: 'v1',
  storagePath: 'podtemplates',
  returnDeletedObject: true,
  validateName: nameIsDns1123Subdomain,
  generationOf: (object) => object.template,
  validate: validateTemplate,
  validateUpdate: (object, _old, errors, context) => validateTemplate(object, errors, context),
  metadataChecksOnUpdate: ['update'],
  warnings(object, old) {
    const changed = old === undefined || old.metadata.generation !== object.metadata.generation;
    return changed ? podTemplateWarnings(object.template, field('template')) : [];
  },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Containers', type: 'string', description: 'Names of the containers in the template.' },
      { name: 'Images', type: 'string', description: 'Images of the containers in the template.' },
      { name: 'Pod Labels', type: 'string', description: 'Labels that pods made from the template get.' },
    ],
    row: ({ metadata, template }) => ({
      cells: [
        metadata.name ?? '',
        containerNames(template.spec),
        containerImages(template.spec),
        labelsText(template.metadata.labels),
      ],
    }),
  },
});

function validateTemplate(object: PodTemplate, errors: FieldErrors, { policy }: StrategyContext): void {
  validatePodTemplateSpec(object.template, policy, field('template'), errors);
}
