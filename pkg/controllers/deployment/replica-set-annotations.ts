import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const INT32_MAX = 2 ** 31 - 1;

/** Characters of the list of earlier revisions; the oldest go first. */
const HISTORY_MAX = 2000;

/** Annotations that belong to the one or to the other, and are not copied. */
const OWN = new Set([LAST_APPLIED, REVISION, HISTORY, DESIRED, MAX, ROLLBACK_TO]);

type Annotations = Readonly<Record<string, string>>;

/** Revision of a deployment or a replica set; 0: none that can be read. */
export function revisionOf({ metadata }: Deployment | ReplicaSet): number {
  const text = metadata.annotations?.[REVISION] ?? '';
  return isRevision(text) ? Number(text) : 0;
}

function isRevision(text: string): boolean {
  return /^[+-]?\d{1,15}$/.test(text);
}

/** How many replicas the deployment wanted when the replica set was scaled last; undefined: not known. */
export function desiredReplicasOf(set: ReplicaSet): number | undefined {
  return numberOf(set, DESIRED);
}

/** How many replicas there might be at most when the replica set was scaled last; undefined: not known. */
export function maxReplicasOf(set: ReplicaSet): number | undefined {
  return numberOf(set, MAX);
}

/** Annotations of a replica set that is scaled. */
export function scaledAnnotations({ metadata }: ReplicaSet, desired: number, max: number): Annotations {
  return { ...metadata.annotations, [DESIRED]: String(desired), [MAX]: String(max) };
}

/**
 * Annotations of the replica set of the current template: those of the deployment, and the revision, which only grows;
 * `isNew`: it is about to be created. A set whose revision is no number keeps all annotations as they are.
 */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
  isNew: boolean,
): Annotations {
  const known = set.metadata.annotations ?? {};
  if (known[REVISION] && !isRevision(known[REVISION])) return known;
  const annotations = { ...known };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!OWN.has(key)) annotations[key] = value;
  const before = revisionOf(set);
  if (before >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (!isNew && known[REVISION] !== undefined) annotations[HISTORY] = withRevision(known[HISTORY], known[REVISION]);
  return annotations;
}

/** Annotations of a deployment that goes back to a replica set: its own, and the set's in place of all others. */
export function rolledBackAnnotations({ metadata }: Deployment, set: ReplicaSet): Record<string, string> {
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => OWN.has(key));
  const others = Object.entries(set.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  return Object.fromEntries([...own, ...others]);
}

function withRevision(history: string | undefined, revision: string): string {
  const revisions = history ? history.split(',') : [];
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(',').length > HISTORY_MAX) revisions.shift();
  return revisions.join(',');
}

function numberOf({ metadata }: ReplicaSet, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? '';
  return /^\d{1,10}$/.test(text) && Number(text) <= INT32_MAX ? Number(text) : undefined;
}
