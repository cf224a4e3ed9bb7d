import { daemonSets } from '../../api/apps/tokens.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import type { ControllerRevision, DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isSameData, revisionData } from '../history/revision-data.ts';
import { beyondLimit, newRevision, sortRevisions } from '../history/revisions.ts';
import { REVISION_LABEL } from './daemon-pod.ts';
import type { DaemonSetSteps } from './steps.ts';

const HISTORY_LIMIT = 10;

export interface SetHistory {
  /** Of the present template. */
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
}

export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[REVISION_LABEL] ?? metadata.name!;
}

/** Finds the revision of the template, the newest one by number then, or creates it. Undefined: its name is taken. */
export async function ensureHistory(
  set: DaemonSet,
  pods: readonly Pod[],
  steps: DaemonSetSteps,
): Promise<SetHistory | undefined> {
  const known = sortRevisions(await Promise.all((await steps.claimRevisions()).map((one) => labelled(one, steps))));
  const data = revisionData(set.spec.template);
  const equal = known.filter((revision) => isSameData(revision.data, data));
  const old = known.filter((revision) => !equal.includes(revision));
  const number = (old.at(-1)?.revision ?? 0) + 1;
  const kept = equal.at(-1);
  if (kept === undefined) {
    const created = await steps.createRevision(
      newRevision({
        owner: set,
        reference: controllerReference(daemonSets, set),
        template: set.spec.template,
        revision: number,
        hashLabel: REVISION_LABEL,
        collisionCount: set.status.collisionCount,
      }),
    );
    return created === undefined ? undefined : { current: created, old };
  }
  await dropDuplicates(kept, equal.slice(0, -1), pods, steps);
  const current = kept.revision < number ? await steps.updateRevision({ ...kept, revision: number }) : kept;
  return { current, old };
}

/** Deletes the oldest revisions that no pod has, beyond what the set keeps. */
export async function truncateHistory(
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
  steps: DaemonSetSteps,
): Promise<void> {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL]));
  const toKill = old.length - (set.spec.revisionHistoryLimit ?? HISTORY_LIMIT);
  const unused = old.filter((revision) => !live.has(hashOf(revision)));
  for (const revision of beyondLimit(unused, Math.max(0, unused.length - toKill))) await steps.deleteRevision(revision);
}

/** Revisions of the same template: pods go over to the one that is kept. */
async function dropDuplicates(
  kept: ControllerRevision,
  others: readonly ControllerRevision[],
  pods: readonly Pod[],
  steps: DaemonSetSteps,
): Promise<void> {
  if (others.length === 0) return;
  const hashes = new Set(others.map(hashOf));
  for (const pod of pods)
    if (hashes.has(pod.metadata.labels?.[REVISION_LABEL] ?? ''))
      await steps.relabelPod(pod, { [REVISION_LABEL]: hashOf(kept) });
  for (const revision of others) await steps.deleteRevision(revision);
}

/** Revisions of earlier releases get the label by their name. */
async function labelled(revision: ControllerRevision, steps: DaemonSetSteps): Promise<ControllerRevision> {
  const { metadata } = revision;
  if (metadata.labels?.[REVISION_LABEL] !== undefined) return revision;
  const labels = { ...metadata.labels, [REVISION_LABEL]: metadata.name! };
  return steps.updateRevision({ ...revision, metadata: { ...metadata, labels } });
}
