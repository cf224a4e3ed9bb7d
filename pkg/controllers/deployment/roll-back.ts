import type { Deployment } from '../../generated/types/apps-v1.ts';
import { ensureCurrentSet, type Rollout } from './current-set.ts';
import { revisionOf, ROLLBACK_TO, rolledBackAnnotations } from './replica-set-annotations.ts';
import { allOf, isSameTemplate, withoutHash } from './replica-sets.ts';
import type { DeploymentSteps } from './steps.ts';

/** The revision that a deployment is to go back to; 0: the last one; undefined: none. */
export function rollbackRevision({ metadata }: Deployment): number | undefined {
  const text = metadata.annotations?.[ROLLBACK_TO];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Gives the deployment the template of an earlier revision, and takes the wish for it away. */
export async function rollBack(rollout: Rollout, revision: number, steps: DeploymentSteps): Promise<void> {
  const { deployment, sets } = await ensureCurrentSet(rollout, steps, true);
  const all = allOf(sets);
  const wanted = revision === 0 ? lastRevision(all.map(revisionOf)) : revision;
  const warn = (reason: string, note: string): void => steps.event(deployment, 'Warning', reason, note);
  const set = wanted === 0 ? undefined : all.find((one) => revisionOf(one) === wanted);
  if (set === undefined) {
    warn(
      'DeploymentRollbackRevisionNotFound',
      wanted === 0 ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.',
    );
    await steps.updateDeployment(withoutRollback(deployment));
    return;
  }
  if (isSameTemplate(deployment.spec.template, set.spec.template)) {
    const name = JSON.stringify(deployment.metadata.name);
    warn(
      'DeploymentRollbackTemplateUnchanged',
      `The rollback revision contains the same template as current deployment ${name}`,
    );
    await steps.updateDeployment(withoutRollback(deployment));
    return;
  }
  const rolledBack: Deployment = {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: rolledBackAnnotations(deployment, set) },
    spec: { ...deployment.spec, template: withoutHash(set.spec.template)! },
  };
  await steps.updateDeployment(withoutRollback(rolledBack));
  const note = `Rolled back deployment ${JSON.stringify(deployment.metadata.name)} to revision ${wanted}`;
  steps.event(deployment, 'Normal', 'DeploymentRollback', note);
}

/** The highest but one; 0: there is none. */
function lastRevision(revisions: readonly number[]): number {
  return revisions.toSorted((a, b) => b - a)[1] ?? 0;
}

function withoutRollback(deployment: Deployment): Deployment {
  const { [ROLLBACK_TO]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
