import { nameIsDns1123Label } from '../../../apimachinery/names/names.ts';
import type { Namespace } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { setNameLabel, setNamespaceDefaults } from './defaults.ts';
import { beginNamespaceDeletion, holdsContent } from './deletion.ts';
import { validateNamespace, validateNamespaceFinalizers, validateNamespaceStatus } from './validation.ts';

const NAMESPACE_FINALIZER = 'kubernetes';

/** A scope for names. Deleting one deletes what is in it; `spec.finalizers` hold it until then. */
export const namespace = defineResource<Namespace>({
  group: '',
  resource: 'namespaces',
  kind: 'Namespace',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'namespaces',
  versions: [{ groupVersion: 'v1', message: 'core/v1.Namespace', setDefaults: setNamespaceDefaults }],
  subresources: [
    {
      name: 'finalize',
      verbs: ['update'],
      prepareForUpdate(object, old) {
        object.status = old.status;
      },
      validateUpdate: validateNamespaceFinalizers,
    },
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateNamespaceStatus },
  ],
  validateName: nameIsDns1123Label,
  beginDelete: beginNamespaceDeletion,
  isHeld: holdsContent,
  prepareForCreate({ spec, status }) {
    status.phase = 'Active';
    // Only at creation: the finalizer is removed with the content, and must not come back.
    if (!spec.finalizers?.includes(NAMESPACE_FINALIZER))
      spec.finalizers = [...(spec.finalizers ?? []), NAMESPACE_FINALIZER];
  },
  validate: validateNamespace,
  // A name made from generateName is not known when defaults are set.
  canonicalize: setNameLabel,
  metadataChecksOnUpdate: ['object', 'update'],
  prepareForUpdate(object, old) {
    object.spec = old.spec;
  },
  returnDeletedObject: true,
  fieldLabels: { 'status.phase': ({ status }) => status.phase ?? '' },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Status', type: 'string', description: 'Active, or Terminating while the content is being deleted.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, status }, nowMs) => ({
      cells: [metadata.name ?? '', status.phase ?? '', age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
