import type { StoreAccess } from '../../registry/store-access.ts';
import type { Connections } from '../connections/connections.ts';
import type { AccessControl } from '../access-control.ts';
import { handleBinding } from './binding.ts';
import { handleComponentStatuses } from './component-statuses.ts';
import { handleEviction } from './eviction.ts';
import { handleNodeProxy } from '../connect/node-proxy.ts';
import { handlePodLog } from '../connect/pod-log.ts';
import { handlePodProxy } from '../connect/pod-proxy.ts';
import { handlePodStream } from '../connect/pod-stream.ts';
import { handleNodeMetrics, handlePodMetrics, type ResourceUsage } from './resource-metrics.ts';
import { handleRollback } from './rollback.ts';
import { handleLentScale, handleScale } from './scale.ts';
import { handleSelfSubjectAccessReview } from '../reviews/self-subject-access-review.ts';
import { handleSelfSubjectReview } from '../reviews/self-subject-review.ts';
import { handleSelfSubjectRulesReview } from '../reviews/self-subject-rules-review.ts';
import { handleServiceProxy } from '../connect/service-proxy.ts';
import { handleSubjectAccessReview } from '../reviews/subject-access-review.ts';
import type { KindHandler, SpecialHandlers, SubresourceHandler } from './subresource-handlers.ts';
import { handleTokenReview } from '../reviews/token-review.ts';
import { handleToken } from './token.ts';

/**
 * Everything that is not a read or write of a stored object, under the names that the dispatcher looks for. `inProcess`
 * names the components of the control plane that run in this process.
 */
export function specialHandlers(
  stores: StoreAccess,
  accessControl: AccessControl,
  connections: Connections,
  usage: ResourceUsage,
  inProcess: ReadonlySet<string>,
): SpecialHandlers {
  const bind = handleBinding(stores);
  const stream = handlePodStream(stores, connections);
  const subjectAccess = handleSubjectAccessReview(accessControl.authorizer);
  const stored = new Map<string, SubresourceHandler>([
    ['*/scale', handleScale],
    ['pods/binding', bind],
    ['pods/eviction', handleEviction(stores)],
    ['pods/exec', stream],
    ['pods/attach', stream],
    ['pods/portforward', stream],
    ['pods/proxy', handlePodProxy(stores, connections)],
    ['pods/log', handlePodLog(stores, connections)],
    ['nodes/proxy', handleNodeProxy(connections)],
    ['services/proxy', handleServiceProxy(stores, connections)],
    ['deployments.apps/rollback', handleRollback(stores)],
    ['serviceaccounts/token', handleToken(stores, accessControl.serviceAccounts.issuer)],
  ]);
  const virtual = new Map<string, KindHandler>([
    ['*/scale', handleLentScale(stores)],
    ['bindings', bind],
    ['componentstatuses', handleComponentStatuses(stores, inProcess)],
    ['nodes.metrics.k8s.io', handleNodeMetrics(stores, usage)],
    ['pods.metrics.k8s.io', handlePodMetrics(stores, usage)],
    [
      'tokenreviews.authentication.k8s.io',
      handleTokenReview(accessControl.tokens, accessControl.serviceAccounts.audiences),
    ],
    ['selfsubjectreviews.authentication.k8s.io', handleSelfSubjectReview],
    ['subjectaccessreviews.authorization.k8s.io', subjectAccess],
    ['localsubjectaccessreviews.authorization.k8s.io', subjectAccess],
    ['selfsubjectaccessreviews.authorization.k8s.io', handleSelfSubjectAccessReview(accessControl.authorizer)],
    ['selfsubjectrulesreviews.authorization.k8s.io', handleSelfSubjectRulesReview(accessControl.authorizer)],
  ]);
  return { stored, virtual };
}
