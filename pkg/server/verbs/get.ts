import { getObject } from '../../registry/read-objects.ts';
import { exportObject } from '../../registry/export-object.ts';
import { booleanParameter, freshnessOf } from '../request/request-options.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ResourceEndpoint } from '../resource-endpoint.ts';
import { answerObject, negotiateForm } from './answer-object.ts';

/** GET of one object, or of a subresource that shows the object itself. */
export async function handleGet(context: RequestContext, served: ResourceEndpoint): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const { info } = context;
  const resourceVersion = context.hasQuery ? (context.query.get('resourceVersion') ?? '') : '';
  const object = await getObject(served.store, info.namespace, info.name, freshnessOf(resourceVersion, '', 0));
  if (context.hasQuery && booleanParameter(context.query, 'export')) {
    const exported = exportObject(object.privateObject(), booleanParameter(context.query, 'exact'));
    answerObject(context, 200, served.store.uncached(object.key, object.value, 0, exported), negotiated);
    return;
  }
  answerObject(context, 200, object, negotiated);
}
