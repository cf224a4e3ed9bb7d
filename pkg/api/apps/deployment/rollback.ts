import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { validateAnnotations } from '../../../apimachinery/meta/object-meta-validation.ts';
import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type { Status } from '../../../apimachinery/errors/status-error.ts';
import type { Deployment } from '../../../generated/types/apps-v1.ts';
import type { DeploymentRollback } from '../../../generated/types/apps-v1beta1.ts';
import { setAnnotation } from '../int64-annotation.ts';
import { ROLLBACK_ANNOTATION } from './conversion.ts';
import { validateRollbackRevision } from './validation.ts';

/**
 * The body of `POST deployments/<name>/rollback` in extensions/v1beta1 and apps/v1beta1. The deployment controller does
 * the rest.
 */

export function validateDeploymentRollback(body: DeploymentRollback, errors: FieldErrors): void {
  validateAnnotations(body.updatedAnnotations, field('updatedAnnotations'), errors);
  if (body.name === '') errors.required(field('name'));
  validateRollbackRevision(body.rollbackTo.revision, field('rollback'), errors);
}

/** Requests the rollback on the deployment, in place. */
export function applyDeploymentRollback(deployment: Deployment, body: DeploymentRollback): void {
  const annotations: Record<string, string> = { ...deployment.metadata.annotations };
  for (const [key, value] of Object.entries(body.updatedAnnotations ?? {})) setKey(annotations, key, value);
  deployment.metadata.annotations = annotations;
  setAnnotation(deployment.metadata, ROLLBACK_ANNOTATION, String(body.rollbackTo.revision ?? 0));
}

/** The answer to an accepted request. */
export function rollbackAccepted(name: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    message: `rollback request for deployment "${name}" succeeded`,
    code: 200,
  };
}
