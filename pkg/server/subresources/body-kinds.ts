import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import { defineResource, type AnyResource, type TableDefinition } from '../../api/resource-definition.ts';
import { Scheme, type KindLookup, type VersionedResource } from '../../api/scheme.ts';
import { age } from '../../api/table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../api/table-columns.ts';
import { nameIsDns1123Subdomain } from '../../apimachinery/names/names.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { defaultTokenRequest } from '../../registry/subresources/token-request.ts';

/**
 * Kinds that go over the wire as bodies of subresources and are never stored nor have a path of their own. As resources
 * of a scheme they are decoded and answered by the same code as stored kinds.
 */

const scaleTable: TableDefinition<Scale> = {
  columns: [
    NAME_COLUMN,
    { name: 'Desired', type: 'integer', description: 'Replicas that are asked for.' },
    { name: 'Available', type: 'integer', description: 'Replicas that there are.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec, status }, nowMs) => ({
    cells: [metadata.name ?? '', spec.replicas ?? 0, status.replicas, age(metadata.creationTimestamp, nowMs)],
  }),
};

/** One version of a kind; versions of bodies are not converted into each other. */
function body(
  group: string,
  groupVersion: string,
  message: string,
  { table, setDefaults }: { table?: TableDefinition<Scale>; setDefaults?: (object: never) => void } = {},
): AnyResource {
  const kind = message.slice(message.indexOf('.') + 1);
  return defineResource<ApiObject>({
    group,
    resource: kind.toLowerCase(),
    kind,
    singular: kind.toLowerCase(),
    namespaced: true,
    verbs: [],
    virtual: true,
    hub: groupVersion,
    storageVersion: groupVersion,
    storagePath: '',
    versions: [
      {
        groupVersion,
        message,
        ...(setDefaults === undefined ? {} : { setDefaults: setDefaults as (object: ApiObject) => void }),
      },
    ],
    validateName: nameIsDns1123Subdomain,
    ...(table === undefined ? {} : { table: table as unknown as TableDefinition<ApiObject> }),
  });
}

const kinds: readonly AnyResource[] = [
  body('autoscaling', 'autoscaling/v1', 'autoscaling/v1.Scale', { table: scaleTable }),
  body('extensions', 'extensions/v1beta1', 'extensions/v1beta1.Scale', { table: scaleTable }),
  body('apps', 'apps/v1beta1', 'apps/v1beta1.Scale', { table: scaleTable }),
  body('apps', 'apps/v1beta2', 'apps/v1beta2.Scale', { table: scaleTable }),
  body('', 'v1', 'core/v1.Binding'),
  body('policy', 'policy/v1', 'policy/v1.Eviction'),
  body('policy', 'policy/v1beta1', 'policy/v1beta1.Eviction'),
  body('extensions', 'extensions/v1beta1', 'extensions/v1beta1.DeploymentRollback'),
  body('apps', 'apps/v1beta1', 'apps/v1beta1.DeploymentRollback'),
  body('authentication.k8s.io', 'authentication.k8s.io/v1', 'authentication/v1.TokenRequest', {
    setDefaults: defaultTokenRequest,
  }),
];

// Process-wide: bodies of subresources are compiled in.
const bodyScheme = new Scheme(kinds);

/** The kinds of the scheme, as it is when asked, and those of bodies besides. */
export function withBodyKinds(scheme: KindLookup): KindLookup {
  return {
    forKind: (groupVersion, kind) => scheme.forKind(groupVersion, kind) ?? bodyScheme.forKind(groupVersion, kind),
  };
}

/** A kind of body in one version; asserts that there is one. */
export function bodyKind(scheme: KindLookup, groupVersion: string, kind: string): VersionedResource {
  const found = withBodyKinds(scheme).forKind(groupVersion, kind);
  if (found === undefined) throw new Error(`no kind ${kind} in ${groupVersion}`);
  return found;
}
