import { deployments } from '../../api/apps/tokens.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';
import { rollbackAccepted } from '../../api/apps/deployment/rollback.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { DeploymentRollback } from '../../generated/types/apps-v1beta1.ts';
import { rollbackDeployment } from '../../registry/subresources/rollback-deployment.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import { admitDocument } from './admit-document.ts';
import { answerCreatedStatus, negotiateStatus } from '../verbs/answer-status.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { writeRequest } from '../verbs/strategy-context.ts';

/** A DeploymentRollback has a name where other kinds have metadata; the decoder adds an empty one. */
type RollbackBody = DeploymentRollback & ApiObject;

/**
 * POST to `deployments/<name>/rollback` of extensions/v1beta1 and apps/v1beta1: asks the controller for an earlier
 * template.
 */
export function handleRollback(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiateStatus(context);
    const options = parseWriteOptions(context.query, 'CreateOptions');
    const { store, target } = endpoint;
    const { name } = context.info;
    const rollback = decodeBodyKind<RollbackBody>(
      context,
      store.scheme,
      'DeploymentRollback',
      [target.groupVersion],
      options.fieldValidation,
    );
    if (rollback.name !== name) throw badRequest('name in URL does not match name in DeploymentRollback object');
    await admitDocument(context, endpoint, parts, 'CREATE', { ...rollback, metadata: {} }, undefined, options.dryRun);
    await rollbackDeployment(stores(deployments), rollback, writeRequest(context, endpoint, parts, options.dryRun));
    answerCreatedStatus(context, rollbackAccepted(name), accepted);
  };
}
