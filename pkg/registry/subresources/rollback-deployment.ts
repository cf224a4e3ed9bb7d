import { noAdmission } from '../../admission/admission.ts';
import { applyDeploymentRollback, validateDeploymentRollback } from '../../api/apps/deployment/rollback.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { invalid, notFound } from '../../apimachinery/errors/status-error.ts';
import type { Deployment } from '../../generated/types/apps-v1.ts';
import type { DeploymentRollback } from '../../generated/types/apps-v1beta1.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';
import type { WriteRequest } from '../write-request.ts';

/**
 * Requests an earlier template from the controller of the deployment that `write` names; admission has seen the
 * rollback. Throws 404 and 422.
 */
export async function rollbackDeployment(
  deployments: ResourceStore<Deployment>,
  rollback: DeploymentRollback,
  write: WriteRequest,
): Promise<void> {
  const errors = new FieldErrors();
  validateDeploymentRollback(rollback, errors);
  if (errors.length > 0) throw invalid({ group: 'apps', kind: 'DeploymentRollback' }, write.name, errors);
  await updateObject(deployments, {
    ...write,
    admission: noAdmission,
    transform(current) {
      if (current === undefined) throw notFound(deployments.groupResource, write.name);
      const deployment = current.privateObject();
      applyDeploymentRollback(deployment, rollback);
      return deployment;
    },
  });
}
