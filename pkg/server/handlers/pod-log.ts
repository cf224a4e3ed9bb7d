import { FieldErrors } from '../../apimachinery/field-errors.ts';
import { field, FieldPath } from '../../apimachinery/field-path.ts';
import { badRequest, invalid } from '../../apimachinery/status-error.ts';
import { parseTime } from '../../apimachinery/time.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { RequestContext } from '../request-context.ts';
import { integerParameter } from '../request-options.ts';
import { respondBytes } from '../respond.ts';
import { unreachableNode } from './node-agent.ts';
import { checkContainer } from './pod-container.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** GET of `pods/<name>/log`. */
export function handlePodLog(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint) => {
    const { namespace, name } = context.info;
    checkLogOptions(context, name);
    const pod = (await getObject(endpoint.store, namespace, name, { kind: 'consistent' })).object() as Pod;
    checkContainer(pod, context.query.get('container') ?? '');
    // Nothing has run yet, so nothing was written.
    if (!pod.spec.nodeName) return respondBytes(context, 204, 'text/plain', new Uint8Array());
    throw await unreachableNode(stores, pod.spec.nodeName);
  };
}

function checkLogOptions({ query }: RequestContext, name: string): void {
  const errors = new FieldErrors();
  const tailLines = integerParameter(query, 'tailLines');
  const limitBytes = integerParameter(query, 'limitBytes');
  const sinceSeconds = integerParameter(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime') ?? '';
  checkSinceTime(sinceTime);
  if (tailLines !== undefined && tailLines < 0) errors.invalid(field('tailLines'), tailLines, 'must be greater than or equal to 0');
  if (limitBytes !== undefined && limitBytes < 1) errors.invalid(field('limitBytes'), limitBytes, 'must be greater than 0');
  if (sinceSeconds !== undefined && sinceTime !== '') errors.forbidden(FieldPath.root(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  else if (sinceSeconds !== undefined && sinceSeconds < 1) errors.invalid(field('sinceSeconds'), sinceSeconds, 'must be greater than 0');
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
}

function checkSinceTime(text: string): void {
  if (text === '') return;
  try {
    parseTime(text);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
