import { isAlreadyExists, isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { SUBDOMAIN_BYTES_MAX } from '../../apimachinery/names/names.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { deployments } from '../../api/apps/tokens.ts';
import { controllerReference, isControlledBy } from '../../client/reconcile/owner-references.ts';
import { conditionOf, withCondition, type NewCondition } from './conditions.ts';
import { newSetAnnotations, REVISION, scaledAnnotations } from './replica-set-annotations.ts';
import { isSameTemplate, maxRevision, TEMPLATE_HASH, type ReplicaSets } from './replica-sets.ts';
import { newSetSize } from './roll-sizes.ts';
import { withStatus, type DeploymentSteps } from './steps.ts';
import { hasProgressDeadline, maxSurge } from './strategy-limits.ts';
import { templateHash } from './template-hash.ts';

/** The deployment and its replica sets as they are after a step. */
export interface Rollout {
  readonly deployment: Deployment;
  readonly sets: ReplicaSets;
}

/**
 * Brings the annotations of the current replica set, and the revision of the deployment, in line. Where there is no
 * such set, it is created if `create`.
 */
export async function ensureCurrentSet(
  { deployment, sets }: Rollout,
  steps: DeploymentSteps,
  create: boolean,
): Promise<Rollout> {
  const revision = maxRevision(sets.old) + 1;
  const { current } = sets;
  if (current === undefined) return create ? createSet({ deployment, sets }, revision, steps) : { deployment, sets };
  const annotations = newSetAnnotations(deployment, current, revision, false);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  let set = current;
  if (
    !deepEqual(annotations, current.metadata.annotations ?? {}) ||
    (current.spec.minReadySeconds ?? 0) !== minReadySeconds
  )
    set = await steps.updateSet({
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: { ...current.spec, minReadySeconds },
    });
  const isFirst = conditionOf(deployment.status.conditions, 'Progressing') === undefined;
  const news = isFirst ? progress('FoundNewReplicaSet', 'Found new replica set', set) : undefined;
  const updated = await noteSet(deployment, set, news, steps);
  return { deployment: updated, sets: { ...sets, current: set } };
}

async function createSet({ deployment, sets }: Rollout, revision: number, steps: DeploymentSteps): Promise<Rollout> {
  const set = newSet(deployment, sets, revision);
  let made: ReplicaSet;
  let isNew = true;
  try {
    made = await steps.createSet(set);
  } catch (error) {
    if (isNamespaceTerminating(error)) throw error;
    if (!isAlreadyExists(error)) return failCreation(deployment, set, error, steps);
    const known = await steps.readSet(set.metadata.name!);
    if (!isControlledBy(known, deployment) || !isSameTemplate(known.spec.template, set.spec.template)) {
      // Another set has the name: the next attempt makes another hash.
      const collisionCount = (deployment.status.collisionCount ?? 0) + 1;
      await steps.updateStatus(withStatus(deployment, { ...deployment.status, collisionCount }));
      throw error;
    }
    made = known;
    isNew = false;
  }
  const size = set.spec.replicas ?? 0;
  if (isNew && size > 0)
    steps.event(
      deployment,
      'Normal',
      'ScalingReplicaSet',
      `Scaled up replica set ${made.metadata.name} from 0 to ${size}`,
    );
  const news = isNew ? progress('NewReplicaSetCreated', 'Created new replica set', made) : undefined;
  const updated = await noteSet(deployment, made, news, steps);
  return { deployment: updated, sets: { ...sets, current: made } };
}

function newSet(deployment: Deployment, sets: ReplicaSets, revision: number): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const template = spec.template ?? { metadata: {}, spec: { containers: [] } };
  const hash = templateHash(template, status.collisionCount);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash };
  const bare: ReplicaSet = {
    metadata: {
      name: `${metadata.name!.slice(0, SUBDOMAIN_BYTES_MAX - hash.length - 1)}-${hash}`,
      namespace: metadata.namespace,
      labels,
      ownerReferences: [controllerReference(deployments, deployment)],
    },
    spec: {
      replicas: 0,
      minReadySeconds: spec.minReadySeconds,
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
    status: { replicas: 0 },
  };
  const replicas = newSetSize(deployment, { ...sets, current: bare });
  const desired = spec.replicas ?? 1;
  const annotated = {
    ...bare,
    metadata: { ...bare.metadata, annotations: newSetAnnotations(deployment, bare, revision, true) },
  };
  const annotations = scaledAnnotations(annotated, desired, desired + maxSurge(deployment));
  return { ...annotated, metadata: { ...annotated.metadata, annotations }, spec: { ...bare.spec, replicas } };
}

async function failCreation(
  deployment: Deployment,
  set: ReplicaSet,
  error: unknown,
  steps: DeploymentSteps,
): Promise<never> {
  const message = `Failed to create new replica set ${JSON.stringify(set.metadata.name)}: ${(error as Error).message}`;
  if (hasProgressDeadline(deployment)) {
    const condition: NewCondition = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message };
    const conditions = [...withCondition(deployment.status.conditions ?? [], condition, steps.nowMs())];
    await steps.updateStatus(withStatus(deployment, { ...deployment.status, conditions }));
  }
  steps.event(deployment, 'Warning', 'ReplicaSetCreateError', message);
  throw error;
}

function progress(reason: string, what: string, { metadata }: ReplicaSet): NewCondition {
  return { type: 'Progressing', status: 'True', reason, message: `${what} ${JSON.stringify(metadata.name)}` };
}

/** Writes the revision of the set into the deployment, and what there is to say of its progress. */
async function noteSet(
  deployment: Deployment,
  { metadata }: ReplicaSet,
  news: NewCondition | undefined,
  steps: DeploymentSteps,
): Promise<Deployment> {
  const revision = metadata.annotations?.[REVISION] ?? '';
  const { conditions = [] } = deployment.status;
  const changed =
    news !== undefined && hasProgressDeadline(deployment) ? withCondition(conditions, news, steps.nowMs()) : conditions;
  if (changed === conditions && deployment.metadata.annotations?.[REVISION] === revision) return deployment;
  return steps.updateStatus({
    ...deployment,
    metadata: { ...deployment.metadata, annotations: { ...deployment.metadata.annotations, [REVISION]: revision } },
    status: { ...deployment.status, conditions: [...changed] },
  });
}
