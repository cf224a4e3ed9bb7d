import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { nameIsPathSegment } from '../../apimachinery/names/names.ts';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { RequestContext } from './request-context.ts';

/** The attributes of a request, from the same parsing of its path by which it is executed. */
export function requestAttributes(context: RequestContext): AuthorizationAttributes {
  if (context.attributes?.user !== context.user) context.attributes = readAttributes(context);
  return context.attributes;
}

function readAttributes(context: RequestContext): AuthorizationAttributes {
  const { info, user } = context;
  if (!info.isResource) {
    return {
      user,
      verb: info.verb,
      isResource: false,
      apiGroup: '',
      apiVersion: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      path: info.path,
    };
  }
  const node = selectedNode(context);
  return {
    user,
    verb: info.verb,
    isResource: true,
    apiGroup: info.group,
    apiVersion: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.resource === 'namespaces' && info.namespace === '' ? info.name : info.namespace,
    name: info.name || selectedName(context),
    path: info.path,
    ...(node === undefined ? {} : { selectedNode: node }),
  };
}

/**
 * The one object that a list or watch selects by name: a user who may read that object may do that. Not by paths of the
 * old form: as in stock servers.
 */
function selectedName(context: RequestContext): string {
  const { verb } = context.info;
  const name = verb === 'list' || verb === 'watch' ? selectedValue(context, 'metadata.name') : undefined;
  return name === undefined || nameIsPathSegment(name, false).length > 0 ? '' : name;
}

function selectedNode(context: RequestContext): string | undefined {
  return ['list', 'watch', 'deletecollection'].includes(context.info.verb)
    ? selectedValue(context, 'spec.nodeName')
    : undefined;
}

/** The one value of a field that the request's field selector allows. */
function selectedValue(context: RequestContext, label: 'metadata.name' | 'spec.nodeName'): string | undefined {
  if (context.info.deprecatedWatch || !context.hasQuery) return undefined;
  const selector = context.query.get('fieldSelector') ?? '';
  if (!selector.includes(label)) return undefined;
  try {
    return parseFieldSelector(selector).exactValue(label);
  } catch {
    // The handler refuses it, after the user is authorized at all.
    return undefined;
  }
}
