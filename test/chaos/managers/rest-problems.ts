import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import type { Deployment, ReplicaSet, StatefulSet } from '../../../pkg/generated/types/apps-v1.ts';
import type { Job } from '../../../pkg/generated/types/batch-v1.ts';
import type { Pod } from '../../../pkg/generated/types/core-v1.ts';
import { isActive, type SetBounds } from './set-bounds.ts';

const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking';

/** Why the cluster is not at rest as all its objects want it; nothing where it is. */
export function restProblems(state: SetBounds): readonly string[] {
  return [
    ...state.ofKind<Deployment>('Deployment').flatMap((object) => deploymentProblem(state, object)),
    ...state.ofKind<ReplicaSet>('ReplicaSet').flatMap((object) => countProblem(state, object, object.spec.replicas)),
    ...state.ofKind<StatefulSet>('StatefulSet').flatMap((object) => statefulSetProblem(state, object)),
    ...state.ofKind<Job>('Job').flatMap((object) => jobProblem(state, object)),
    ...orphans(state).map((name) => `${name} has no owner any more`),
  ];
}

/** Objects of which an owner is gone. */
export function orphans(state: SetBounds): readonly string[] {
  const uids = new Set([...state.objects.values()].map(({ metadata }) => metadata.uid));
  return [...state.objects]
    .filter(([, { metadata }]) => metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true)
    .map(([key]) => key);
}

function problemOf({ kind, metadata }: ApiObject, wanted: object, found: object): readonly string[] {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  return is === should ? [] : [`${kind} ${metadata.name} is ${is}, not ${should}`];
}

function deploymentProblem(state: SetBounds, object: Deployment): readonly string[] {
  const { status, spec, metadata } = object;
  const replicas = spec.replicas ?? 1;
  const sets = state.owned<ReplicaSet>('ReplicaSet', metadata.uid!);
  return problemOf(
    object,
    { seen: metadata.generation, all: replicas, updated: replicas, available: replicas, inSets: replicas },
    {
      seen: status.observedGeneration,
      all: status.replicas ?? 0,
      updated: status.updatedReplicas ?? 0,
      available: status.availableReplicas ?? 0,
      inSets: sets.reduce((sum, set) => sum + (set.spec.replicas ?? 1), 0),
    },
  );
}

/** Pods as many as are wanted, and as the status says. */
function countProblem(state: SetBounds, object: ReplicaSet | StatefulSet, replicas = 1): readonly string[] {
  const pods = state.owned<Pod>('Pod', object.metadata.uid!);
  return problemOf(
    object,
    { pods: replicas, ending: 0, said: replicas },
    {
      pods: pods.filter(isActive).length,
      ending: pods.filter((pod) => !isActive(pod)).length,
      said: object.status.replicas ?? 0,
    },
  );
}

function statefulSetProblem(state: SetBounds, object: StatefulSet): readonly string[] {
  const { status, spec, metadata } = object;
  const ready = spec.replicas ?? 1;
  return [
    ...countProblem(state, object, spec.replicas),
    ...problemOf(
      object,
      { seen: metadata.generation, ready, updated: ready },
      {
        seen: status.observedGeneration,
        ready: status.readyReplicas ?? 0,
        updated:
          status.updateRevision === status.currentRevision
            ? (status.currentReplicas ?? 0)
            : (status.updatedReplicas ?? 0),
      },
    ),
  ];
}

function jobProblem(state: SetBounds, object: Job): readonly string[] {
  const { status, spec, metadata } = object;
  const pods = state.owned<Pod>('Pod', metadata.uid!);
  return problemOf(
    object,
    { complete: true, succeeded: spec.completions, pods: spec.completions, tracked: 0 },
    {
      complete: status.conditions?.some((one) => one.type === 'Complete' && one.status === 'True') ?? false,
      succeeded: status.succeeded ?? 0,
      pods: pods.length,
      tracked: pods.filter((pod) => pod.metadata.finalizers?.includes(JOB_FINALIZER)).length,
    },
  );
}
