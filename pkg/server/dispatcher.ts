import { deprecationWarning, isDeprecatedIn } from '../api/deprecation.ts';
import type { AnyResource, SubresourceDefinition } from '../api/resource-definition.ts';
import type { Scheme } from '../api/scheme.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { badRequest, genericServerResponse } from '../apimachinery/errors/status-error.ts';
import { nameIsPathSegment } from '../apimachinery/names/names.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { checkMethod } from './verbs/check-method.ts';
import { readAhead } from './verbs/decode-body.ts';
import { handleCreate } from './verbs/create.ts';
import { handleDelete, handleDeleteCollection } from './verbs/delete.ts';
import { handleGet } from './verbs/get.ts';
import { handleList } from './verbs/list.ts';
import { handlePatch } from './verbs/patch.ts';
import { handleUpdate } from './verbs/update.ts';
import { handleWatch } from './verbs/watch.ts';
import type { SpecialHandlers } from './subresources/subresource-handlers.ts';
import type { RequestContext } from './request/request-context.ts';
import type { KindEndpoint, ResourceEndpoint, ServerParts } from './resource-endpoint.ts';

export interface DispatcherOptions {
  readonly scheme: Scheme;
  /** Undefined for kinds that are not stored. */
  readonly storeOf: (definition: AnyResource) => ResourceStore | undefined;
  readonly parts: ServerParts;
  readonly special: SpecialHandlers;
  /** The release that the server reports: later deprecations do not count. */
  readonly emulatedMinor: number;
}

/** Sends requests for resources to their handlers. One set of handlers serves every kind. */
export class Dispatcher {
  private readonly options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.options = options;
  }

  async dispatch(context: RequestContext): Promise<void> {
    const endpoint = this.endpointOf(context);
    checkPathNames(context);
    checkMethod(context, endpoint);
    warnOfDeprecation(context, endpoint, this.options.emulatedMinor);
    const reading = readAhead(context, this.options.parts.pools);
    if (reading !== undefined) await reading;
    await this.answer(context, endpoint);
  }

  private answer(context: RequestContext, endpoint: KindEndpoint): Promise<void> {
    const { parts, special, storeOf } = this.options;
    const name = specialName(endpoint);
    const { definition } = endpoint.target;
    const stored = storeOf(definition);
    if (stored === undefined) {
      const handler = special.virtual.get(name);
      // A resource whose store is gone was removed since it was found.
      if (handler === undefined) throw genericServerResponse(definition.virtual === true ? 405 : 404);
      return handler(context, endpoint, parts);
    }
    const store = definition.errorsNamePathGroup === true ? stored.underGroup(context.info.group) : stored;
    const resource: ResourceEndpoint = {
      target: endpoint.target,
      scheme: endpoint.scheme,
      subresource: endpoint.subresource,
      store,
    };
    const handler = special.stored.get(name);
    return handler === undefined ? this.generic(context, resource) : handler(context, resource, parts);
  }

  private generic(context: RequestContext, endpoint: ResourceEndpoint): Promise<void> {
    const { parts } = this.options;
    switch (context.info.verb) {
      case 'get':
        return handleGet(context, endpoint);
      case 'list':
        return handleList(context, endpoint, parts);
      case 'watch':
        return handleWatch(context, endpoint, parts);
      case 'create':
        return handleCreate(context, endpoint, parts);
      case 'update':
        return handleUpdate(context, endpoint, parts);
      case 'patch':
        return handlePatch(context, endpoint, parts);
      case 'delete':
        return handleDelete(context, endpoint, parts);
      case 'deletecollection':
        return handleDeleteCollection(context, endpoint, parts);
      default:
        throw genericServerResponse(405);
    }
  }

  /** Throws 404 in the form for the unknown part. */
  private endpointOf(context: RequestContext): KindEndpoint {
    const { info } = context;
    // Its place was taken by the subresource of that name.
    if (info.verb === 'proxy') throw genericServerResponse(404);
    const groupVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
    const target = this.options.scheme.forResource(groupVersion, info.resource);
    if (target === undefined || target.version.served === false) throw genericServerResponse(404);
    if (!target.definition.namespaced && info.namespace !== '') throw genericServerResponse(404);
    // Only the path behind a proxy is for the backend to interpret.
    if (info.tail.length > 0 && info.subresource !== 'proxy') throw genericServerResponse(404);
    const subresource = this.subresourceOf(target.definition, groupVersion, info.subresource);
    if (
      info.subresource !== '' &&
      (subresource === undefined || info.deprecatedWatch || (target.definition.namespaced && info.namespace === ''))
    )
      throw genericServerResponse(404);
    return { target, scheme: this.options.scheme, subresource };
  }

  private subresourceOf(
    definition: AnyResource,
    groupVersion: string,
    name: string,
  ): SubresourceDefinition<ApiObject> | undefined {
    if (name === '') return undefined;
    const found = definition.subresources?.find(
      (s) => s.name === name && (s.groupVersions === undefined || s.groupVersions.includes(groupVersion)),
    );
    return found as SubresourceDefinition<ApiObject> | undefined;
  }
}

/**
 * Reports a deprecated version to the client and in the audit event, from the release of the deprecation on;
 * subresources of another kind have separate versions.
 */
function warnOfDeprecation(
  context: RequestContext,
  { target, subresource }: KindEndpoint,
  emulatedMinor: number,
): void {
  const { deprecation } = target.version;
  if (deprecation === undefined || subresource?.scale !== undefined || subresource?.body !== undefined) return;
  if (!isDeprecatedIn(deprecation, emulatedMinor)) return;
  context.warn(deprecationWarning(target, deprecation));
  context.annotate('k8s.io/deprecated', 'true');
  if (deprecation.removedIn !== undefined) context.annotate('k8s.io/removed-release', deprecation.removedIn);
}

function specialName(endpoint: KindEndpoint): string {
  const { definition } = endpoint.target;
  const name = definition.group === '' ? definition.resource : `${definition.resource}.${definition.group}`;
  if (endpoint.subresource === undefined) return name;
  return endpoint.subresource.scale === undefined ? `${name}/${endpoint.subresource.name}` : '*/scale';
}

/** Names become parts of store keys: names that could leave their place are refused before any key is made. */
function checkPathNames(context: RequestContext): void {
  for (const [what, value] of [
    ['Namespace', context.info.namespace],
    ['Name', context.info.name],
  ] as const) {
    if (value === '') continue;
    const problems = nameIsPathSegment(value, false);
    if (problems.length > 0)
      throw badRequest(`${what} parameter invalid: ${JSON.stringify(value)}: ${problems.join(';')}`);
  }
}
