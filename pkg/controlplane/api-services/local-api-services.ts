import type { VersionPriority } from '../../api/api-group.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { APIService, APIServiceSpec } from '../../generated/types/apiregistration-v1.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import { changeOwn, createOwnIfAbsent, ownWrite } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';

/** Says that a server keeps the object: `onstart`, at its start; `true`, all the time, for custom resources. */
const AUTOMANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const ON_START = 'onstart';
/** Its own objects are not among them. */
const AGGREGATOR_GROUP = 'apiregistration.k8s.io';
/**
 * What release 1.36 serves unasked. Objects for older versions would have a stock server of the same cluster list
 * versions that it does not serve, and its clients fail to discover them.
 */
const STABLE = /^v\d+$/;

/**
 * Brings the APIService objects in line with the stable group versions that this server serves itself, once, at its
 * start: what a user changes or deletes later stays so until the next, and what a user has taken the label from stays
 * for good. Objects of versions that are no longer served go. May run on several servers at once.
 */
export async function ensureLocalApiServices(
  store: ResourceStore<APIService>,
  groupVersions: readonly string[],
): Promise<void> {
  const wanted = new Map(
    groupVersions.flatMap((groupVersion) => {
      const spec = specOf(groupVersion, store.scheme.priorityOf(groupVersion));
      return spec === undefined ? [] : [[`${spec.version}.${spec.group ?? ''}` as string, spec] as const];
    }),
  );
  await store.cacher.fresh();
  for (const cached of store.cache.snapshot().values()) {
    if (cached.labels()?.[AUTOMANAGED_LABEL] === ON_START && !wanted.has(cached.name))
      await remove(store, cached.object());
  }
  await Promise.all([...wanted].map(([name, spec]) => ensure(store, name, spec)));
}

function specOf(groupVersion: string, priority: VersionPriority | undefined): APIServiceSpec | undefined {
  const group = groupOf(groupVersion);
  const version = versionOf(groupVersion);
  if (group === AGGREGATOR_GROUP || priority === undefined || !STABLE.test(version)) return undefined;
  return {
    ...(group === '' ? {} : { group }),
    version,
    groupPriorityMinimum: priority.group,
    versionPriority: priority.version,
  };
}

async function ensure(store: ResourceStore<APIService>, name: string, spec: APIServiceSpec): Promise<void> {
  const known = (await store.newest(store.keyOf('', name)))?.object();
  if (known === undefined)
    return createOwnIfAbsent(store, { metadata: { name, labels: { [AUTOMANAGED_LABEL]: ON_START } }, spec });
  if (!differs(known, spec)) return;
  try {
    await changeOwn(store, '', name, (object) => {
      if (differs(object, spec)) object.spec = spec;
    });
  } catch (error) {
    // Another server, which does not serve it, has taken it away.
    if (!isNotFound(error)) throw error;
  }
}

/** Without the label it is a user's. */
function differs({ metadata, spec }: APIService, wanted: APIServiceSpec): boolean {
  const label = metadata.labels?.[AUTOMANAGED_LABEL];
  return (label === ON_START || label === 'true') && !deepEqual(spec, wanted);
}

async function remove(
  store: ResourceStore<APIService>,
  { metadata: { name = '', uid = '' } }: APIService,
): Promise<void> {
  try {
    await deleteObject(store, { ...ownWrite(store, '', name), options: { preconditions: { uid } } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
