import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { CustomResourceDefinition } from '../../../generated/types/apiextensions-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { definitionFromBeta, definitionToBeta } from './conversion.ts';
import { setBetaDefaults, setDefaults } from './defaults.ts';
import { definitionWarnings, prepareForUpdate, rememberStorageVersion } from './strategy.ts';
import { validateDefinition, validateDefinitionUpdate, validateStatus } from './validation.ts';

const V1 = 'apiextensions.k8s.io/v1';
const BETA = 'apiextensions.k8s.io/v1beta1';

/** Declares a custom kind of objects. */
export const customResourceDefinition = defineResource<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  hub: V1,
  // The more compact form: schemas that all versions share are written once.
  storageVersion: BETA,
  storagePath: 'apiextensions.k8s.io/customresourcedefinitions',
  storageEncoding: 'json',
  versions: [
    { groupVersion: V1, message: 'apiextensions/v1.CustomResourceDefinition', setDefaults },
    {
      groupVersion: BETA,
      message: 'apiextensions/v1beta1.CustomResourceDefinition',
      setDefaults: setBetaDefaults,
      toHub: definitionFromBeta,
      fromHub: definitionToBeta,
      deprecation: { deprecatedIn: '1.16', removedIn: '1.22', replacement: V1 },
    },
  ],
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      validateUpdate: (object, _old, errors) => validateStatus(object, errors),
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.spec,
  prepareForCreate: rememberStorageVersion,
  prepareForUpdate,
  validate: validateDefinition,
  validateUpdate: validateDefinitionUpdate,
  warnings: definitionWarnings,
  metadataChecksOnUpdate: ['update'],
});
