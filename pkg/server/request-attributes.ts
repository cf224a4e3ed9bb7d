import { parseFieldSelector } from '../apimachinery/field-selector.ts';
import { nameIsPathSegment } from '../apimachinery/names.ts';
import type { AuthorizationAttributes } from '../authorization/authorizer.ts';
import type { RequestContext } from './request-context.ts';

/** What a request wants to do, from the same reading of its path by which it is executed. */
export function requestAttributes(context: RequestContext): AuthorizationAttributes {
  if (context.attributes?.user !== context.user) context.attributes = readAttributes(context);
  return context.attributes;
}

function readAttributes(context: RequestContext): AuthorizationAttributes {
  const { info, user } = context;
  if (!info.isResource) {
    return { user, verb: info.verb, isResource: false, apiGroup: '', apiVersion: '', resource: '', subresource: '', namespace: '', name: '', path: info.path };
  }
  return {
    user, verb: info.verb, isResource: true,
    apiGroup: info.group, apiVersion: info.version, resource: info.resource, subresource: info.subresource,
    namespace: info.resource === 'namespaces' && info.namespace === '' ? info.name : info.namespace,
    name: info.name || selectedName(context),
    path: info.path,
  };
}

/** The one object that a list or watch selects by name: it may be read by somebody who may read that object. Not by paths of the old form: as in stock servers. */
function selectedName(context: RequestContext): string {
  const { verb, deprecatedWatch } = context.info;
  if ((verb !== 'list' && verb !== 'watch') || deprecatedWatch || !context.hasQuery) return '';
  const selector = context.query.get('fieldSelector') ?? '';
  if (!selector.includes('metadata.name')) return '';
  let name: string | undefined;
  try {
    name = parseFieldSelector(selector).exactValue('metadata.name');
  } catch {
    // The handler refuses it, once it is known that the user may ask at all.
    return '';
  }
  return name === undefined || nameIsPathSegment(name, false).length > 0 ? '' : name;
}
