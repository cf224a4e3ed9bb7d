import type { StrategyContext } from '../../api/resource-definition.ts';
import type { WriteRequest } from '../../registry/write-request.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { KindEndpoint, ServerParts } from '../resource-endpoint.ts';
import { optionsDocument } from './options-document.ts';

/** The fields of a request that strategies may read. */
export function strategyContext(
  context: RequestContext,
  served: KindEndpoint,
  parts: ServerParts,
  dryRun: boolean,
): StrategyContext {
  return {
    now: `${new Date(parts.nowMs()).toISOString().slice(0, 19)}Z`,
    user: context.user,
    requestVersion: served.target.groupVersion,
    dryRun,
    policy: parts.policy,
  };
}

export function writeRequest(
  context: RequestContext,
  served: KindEndpoint,
  parts: ServerParts,
  dryRun: boolean,
): WriteRequest {
  const { info } = context;
  return {
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    verb: info.verb,
    context: strategyContext(context, served, parts, dryRun),
    admission: parts.admission,
    requestOptions: optionsDocument(context),
    notes: context,
    deadlineMs: context.deadlineMs,
  };
}
