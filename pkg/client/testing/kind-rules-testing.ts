import type { Resource } from '../../api/resource.ts';
import { groupVersionOf, resourceKey } from '../../api/resource.ts';
import { builtInRegistry } from '../../api/built-in-registry.ts';
import type { ScaleAccess } from '../../api/resource-definition.ts';
import type { VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { MessageSchema } from '../../apimachinery/schema.ts';

/** An object with the parts that rules read, whatever a test has left out. */
// `any`: rules of all kinds, whose shapes differ, are asked with it.
type Complete = any;

/** The fake server's rules for a kind. */
export interface KindRules {
  readonly hasStatus: boolean;
  /** Merges strategically by it; undefined where the kind has no such patches. */
  readonly schema: MessageSchema | undefined;
  readonly generationOf: ((object: ApiObject) => unknown) | undefined;
  readonly scale: ScaleAccess<ApiObject> | undefined;
  readonly fieldLabels: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Undefined where the kind has no graceful deletion. */
  gracePeriodSeconds(object: ApiObject, asked?: number): number | undefined;
  /** In place; undefined where finalizers and grace period decide. */
  beginDelete(object: ApiObject, now: string): 'keep' | 'mark' | 'remove' | undefined;
  isHeld(object: ApiObject): boolean;
}

const registry = builtInRegistry();
const known = new Map<string, KindRules>();

/** The rules of a built-in kind; other resources have those of a custom resource. Objects are never converted. */
export function kindRules(resource: Resource): KindRules {
  const key = `${groupVersionOf(resource)} ${resourceKey(resource)}`;
  let rules = known.get(key);
  if (rules === undefined) {
    const version = registry.forResource(groupVersionOf(resource), resource.resource);
    rules = version === undefined ? customResource : builtIn(version);
    known.set(key, rules);
  }
  return rules;
}

function builtIn({ definition, groupVersion, schema }: VersionedResource): KindRules {
  const { subresources = [], generationOf, fieldLabels = {} } = definition;
  const hasStatus = subresources.some(({ name }) => name === 'status');
  if (groupVersion !== definition.hub) {
    // The definition's functions see the shape of the hub alone.
    const { generationOf: changes, ...rest } = customResource;
    return { ...rest, schema, hasStatus, generationOf: generationOf && changes };
  }
  return {
    schema,
    hasStatus,
    generationOf: generationOf && ((object) => generationOf(complete(object))),
    scale: subresources.find(({ name }) => name === 'scale')?.scale,
    fieldLabels: Object.fromEntries(
      Object.entries(fieldLabels).map(([label, valueOf]) => [label, (object) => valueOf(complete(object))]),
    ),
    gracePeriodSeconds: (object, asked) => definition.gracePeriodSeconds?.(complete(object), asked),
    beginDelete(object, now) {
      if (definition.beginDelete === undefined) return undefined;
      Object.assign(object, complete(object));
      return definition.beginDelete(object, {
        now,
        user: { name: 'fake', groups: [] },
        requestVersion: definition.hub,
        dryRun: false,
        policy: { allowPrivileged: false },
      });
    },
    isHeld(object) {
      const { deletionGracePeriodSeconds = 0 } = object.metadata;
      return definition.isHeld?.(complete(object)) ?? Number(deletionGracePeriodSeconds) > 0;
    },
  };
}

function complete(object: ApiObject): Complete {
  return { spec: {}, status: {}, ...object };
}

const customResource: KindRules = {
  schema: undefined,
  hasStatus: true,
  generationOf: (object) => ({ ...object, metadata: undefined, status: undefined }),
  scale: {
    get(object) {
      const { spec, status } = complete(object);
      return { specReplicas: spec.replicas ?? 0, statusReplicas: status.replicas ?? 0, selector: '' };
    },
    set: (object, replicas) => void ((object as Complete).spec = { ...complete(object).spec, replicas }),
  },
  fieldLabels: {},
  gracePeriodSeconds: () => undefined,
  beginDelete: () => undefined,
  isHeld: () => false,
};
