import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuthorizationAttributes, Authorizer } from '../../authorization/authorizer.ts';
import { forbiddenRequest } from '../../authorization/forbidden.ts';
import type { ObjectSource, ObjectSources } from '../../client/informer/object-source.ts';
import type { Selection } from '../../client/rest/client.ts';
import { cacheName, type ResourceStore } from '../../registry/resource-store.ts';
import { CacheSource, type FollowedResource } from './cache-source.ts';

export interface CacheSourcesOptions {
  readonly registry: ResourceRegistry;
  readonly stores: { find(name: string): ResourceStore | undefined };
  /** The user whose permissions count. */
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly report: (error: unknown) => void;
  /** For tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Sources of informers in the server's own process, as one user. */
export class CacheSources implements ObjectSources {
  private readonly options: CacheSourcesOptions;

  constructor(options: CacheSourcesOptions) {
    this.options = options;
  }

  source<T extends ApiObject>(resource: Resource<T>, selection: Selection): ObjectSource<T> {
    const { report, clock = systemClock, random = Math.random } = this.options;
    return new CacheSource<T>(selection, {
      find: () => this.find(resource),
      listen: (changed) => this.options.registry.listen(changed),
      authorize: () => this.authorize(resource, selection),
      metadataOnly: resource.metadataOnly === true,
      report,
      clock,
      random,
    });
  }

  /** What clients are not served (`--runtime-config`) is not followed in process either. */
  private find(resource: Resource): FollowedResource | undefined {
    const version = this.options.registry.forResource(groupVersionOf(resource), resource.resource);
    if (version === undefined || version.version.served === false) return undefined;
    const store = this.options.stores.find(cacheName(version.definition));
    return store === undefined ? undefined : { version, store };
  }

  private async authorize(resource: Resource, selection: Selection): Promise<void> {
    for (const verb of ['list', 'watch']) {
      const attributes = attributesOf(this.options.user, verb, resource, selection);
      const { decision, reason } = await this.options.authorizer.authorize(attributes);
      if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
    }
  }
}

function attributesOf(user: UserInfo, verb: string, resource: Resource, selection: Selection): AuthorizationAttributes {
  const { namespace = '', fieldSelector = '' } = selection;
  const fields = parseFieldSelector(fieldSelector);
  const selectedNode = fields.exactValue('spec.nodeName');
  return {
    user,
    verb,
    isResource: true,
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: resource.resource,
    subresource: '',
    namespace,
    name: fields.exactValue('metadata.name') ?? '',
    path: '',
    ...(selectedNode === undefined ? {} : { selectedNode }),
  };
}
