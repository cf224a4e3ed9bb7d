import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { KindEndpoint } from '../resource-endpoint.ts';

/**
 * The object's namespace is the path's; an absent one is filled in, and one of a cluster-wide object dropped: manifests
 * often name one. Throws 400.
 */
export function matchNamespace(context: RequestContext, served: KindEndpoint, object: ApiObject): void {
  const wanted = context.info.namespace;
  const given = object.metadata.namespace ?? '';
  if (!served.target.definition.namespaced) {
    delete object.metadata.namespace;
    return;
  }
  if (given === '') object.metadata.namespace = wanted;
  else if (given !== wanted)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The object's name is the path's; an absent one is filled in. Throws 400. */
export function matchName(context: RequestContext, object: ApiObject): void {
  const wanted = context.info.name;
  const given = object.metadata.name ?? '';
  if (given === '') object.metadata.name = wanted;
  else if (given !== wanted)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${wanted})`);
}
