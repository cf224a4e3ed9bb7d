import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../api/flowcontrol/mandatory-objects.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import { changeOwn, createOwnIfAbsent, ownWrite } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { SUGGESTED_FLOW_SCHEMAS, SUGGESTED_PRIORITY_LEVELS } from './suggested-objects.ts';

/** Whether servers keep the spec of an object as they know it; `false` leaves it to its owners. */
const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';
const SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io';
const LEVELS = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';

interface FlowObject extends ApiObject {
  spec: object;
}

/**
 * Makes the objects of priority and fairness that are lacking, and brings those in line that their owners have left to
 * servers. Levels come first: no schema is to dangle.
 */
export async function ensureFlowObjects(stores: StoreAccess): Promise<void> {
  await ensureKind(stores(LEVELS), MANDATORY_PRIORITY_LEVELS, SUGGESTED_PRIORITY_LEVELS);
  await ensureKind(stores(SCHEMAS), MANDATORY_FLOW_SCHEMAS, SUGGESTED_FLOW_SCHEMAS);
}

async function ensureKind(
  store: ResourceStore,
  mandatory: ReadonlyMap<string, object>,
  suggested: ReadonlyMap<string, object>,
): Promise<void> {
  for (const [name, spec] of mandatory) await ensure(store, name, spec, true);
  for (const [name, spec] of suggested) await ensure(store, name, spec, false);
  for (const cached of store.cache.snapshot().values()) {
    // Of a server of another release, and nobody's since.
    const isObsolete =
      !mandatory.has(cached.name) &&
      !suggested.has(cached.name) &&
      getKey((cached.object() as FlowObject).metadata.annotations, AUTOUPDATE) === 'true';
    if (isObsolete) await remove(store, cached.name, (cached.object() as FlowObject).metadata);
  }
}

async function ensure(store: ResourceStore, name: string, spec: object, isMandatory: boolean): Promise<void> {
  // How much an exempt level lends is its owners' to change, and shown from the beginning.
  const firstSpec = (spec as { type?: string }).type === 'Exempt' ? { ...spec, exempt: {} } : spec;
  await createOwnIfAbsent(store, { metadata: { name, annotations: { [AUTOUPDATE]: 'true' } }, spec: firstSpec });
  const current = store.cache.get(store.keyOf('', name))?.object() as FlowObject | undefined;
  if (current !== undefined && isAsWanted(current, spec, isMandatory)) return;
  try {
    await changeOwn<FlowObject>(store, '', name, (object) => bringInLine(object, spec, isMandatory));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isAsWanted(current: FlowObject, spec: object, isMandatory: boolean): boolean {
  const wanted = structuredClone(current);
  bringInLine(wanted, spec, isMandatory);
  return deepEqual(wanted, current);
}

/** An object without the mark is the servers' as long as its spec was never changed. */
function bringInLine(object: FlowObject, spec: object, isMandatory: boolean): void {
  const { metadata } = object;
  const mark = getKey(metadata.annotations, AUTOUPDATE);
  const isOurs = isMandatory || (mark === 'true' || mark === 'false' ? mark === 'true' : metadata.generation === 1);
  metadata.annotations = { ...metadata.annotations, [AUTOUPDATE]: String(isOurs) };
  if (isOurs && !holds(object.spec, spec)) object.spec = structuredClone(spec);
}

/**
 * Every field that is wanted is as it is wanted; what is beside them are defaults, or what of an exempt level is free
 * to be set.
 */
function holds(found: unknown, wanted: unknown): boolean {
  if (wanted === null || typeof wanted !== 'object') return found === wanted;
  if (Array.isArray(wanted))
    return Array.isArray(found) && found.length === wanted.length && wanted.every((item, i) => holds(found[i], item));
  return (
    found !== null &&
    typeof found === 'object' &&
    Object.entries(wanted).every(([key, value]) => holds((found as Record<string, unknown>)[key], value))
  );
}

async function remove(
  store: ResourceStore,
  name: string,
  { uid, resourceVersion }: FlowObject['metadata'],
): Promise<void> {
  try {
    await deleteObject(store, {
      ...ownWrite(store, '', name),
      options: {
        preconditions: {
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
      },
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
