import { statefulSets } from '../../api/apps/tokens.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import type { ControllerRevision, StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isSameData } from '../history/revision-data.ts';
import { beyondLimit, newRevision } from '../history/revisions.ts';
import { revisionOf } from './identity.ts';
import type { StatefulSetSteps } from './steps.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';
const HISTORY_LIMIT = 10;

export interface SetRevisions {
  /** Where a rollout comes from. */
  readonly current: ControllerRevision;
  /** Of the template of the set. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** Finds the revision of the template, the newest one by number then, or creates it. `known`: oldest first. */
export async function ensureRevisions(
  set: StatefulSet,
  known: readonly ControllerRevision[],
  steps: StatefulSetSteps,
): Promise<SetRevisions> {
  let collisionCount = set.status.collisionCount ?? 0;
  const revision = (known.at(-1)?.revision ?? 0) + 1;
  const wanted = (): ControllerRevision =>
    newRevision({
      owner: set,
      reference: controllerReference(statefulSets, set),
      template: set.spec.template,
      revision,
      hashLabel: HASH_LABEL,
      collisionCount,
    });
  const first = wanted();
  const equal = known.findLast(({ data }) => isSameData(data, first.data));
  let update = equal;
  if (equal !== undefined && equal !== known.at(-1)) update = await steps.updateRevision({ ...equal, revision });
  while (update === undefined) {
    // With another name after a collision; the label keeps the first hash.
    const { name } = wanted().metadata;
    update = await steps.createRevision({ ...first, metadata: { ...first.metadata, name } });
    if (update === undefined) collisionCount++;
  }
  const current = known.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update;
  return { current, update, collisionCount };
}

/** Deletes the oldest revisions that no pod has, beyond what the set keeps; all of them by a limit below 0. */
export async function truncateHistory(
  set: StatefulSet,
  known: readonly ControllerRevision[],
  { current, update }: SetRevisions,
  pods: readonly Pod[],
  steps: StatefulSetSteps,
): Promise<void> {
  const limit = set.spec.revisionHistoryLimit ?? HISTORY_LIMIT;
  if (limit < 0) return;
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
  const unused = known.filter(({ metadata }) => !live.has(metadata.name));
  for (const revision of beyondLimit(unused, limit)) await steps.deleteRevision(revision);
}
