import type { Verb } from '../../api/resource-definition.ts';
import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { RequestContext } from '../request/request-context.ts';
import { verbsOf, type KindEndpoint } from '../resource-endpoint.ts';

/** The methods of each form of path; a path without any method of a kind does not exist for it. */
const OBJECT_VERBS: readonly Verb[] = ['get', 'update', 'patch', 'delete'];
const COLLECTION_VERBS: readonly Verb[] = ['create', 'list', 'watch', 'deletecollection'];
/** Over all namespaces at once. */
const SPANNING_VERBS: readonly Verb[] = ['list', 'watch'];

/** Throws 404 where the kind has no such path, 405 where the path does not take the method. */
export function checkMethod(context: RequestContext, endpoint: KindEndpoint): void {
  const { info, method } = context;
  const served = verbsOf(endpoint);
  const possible =
    info.subresource === '' ? pathVerbs(context, endpoint).filter((verb) => served.includes(verb)) : served;
  if (possible.length === 0) throw genericServerResponse(404);
  // What a method does behind a proxy is not decided here.
  if (info.subresource === 'proxy' && (method === 'HEAD' || method === 'OPTIONS')) return;
  // HEAD and the like read as verbs of resources but are not served for them.
  if (method === 'HEAD' || method === 'OPTIONS' || !(possible as readonly string[]).includes(info.verb))
    throw genericServerResponse(405);
}

function pathVerbs({ info }: RequestContext, { target }: KindEndpoint): readonly Verb[] {
  if (info.deprecatedWatch) return ['watch'];
  const spans = target.definition.namespaced && info.namespace === '';
  if (info.name === '') return spans ? SPANNING_VERBS : COLLECTION_VERBS;
  return spans ? [] : OBJECT_VERBS;
}
