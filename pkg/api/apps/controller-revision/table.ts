import type { OwnerReference } from '../../../apimachinery/meta/object.ts';
import type { ControllerRevision } from '../../../generated/types/apps-v1.ts';
import { groupOf } from '../../scheme.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';

export const controllerRevisionTable: TableDefinition<ControllerRevision> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the revision, unique in its namespace.' },
    { name: 'Controller', type: 'string', description: 'The object whose state the revision holds.' },
    { name: 'Revision', type: 'string', description: "Number of the state in the object's history." },
    { name: 'Age', type: 'string', description: 'Time since the revision was created.' },
  ],
  row({ metadata, revision }, nowMs) {
    const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
    return {
      cells: [
        metadata.name ?? '',
        controller === undefined ? '<none>' : ownerText(controller),
        revision,
        age(metadata.creationTimestamp, nowMs),
      ],
    };
  },
};

/** `statefulset.apps/web`. */
function ownerText({ apiVersion, kind, name }: OwnerReference): string {
  const group = apiVersion.includes('/') ? groupOf(apiVersion) : '';
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}
