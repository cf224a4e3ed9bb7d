import type { APIGroupDiscoveryList } from '../../generated/types/apidiscovery-v2.ts';
import type { APIGroupList, APIVersions } from '../../generated/types/meta-v1.ts';
import type { CallOptions, Client } from '../rest/client.ts';
import { ACCEPT_AGGREGATED, isAggregated, readAggregated } from './aggregated-discovery.ts';
import { discoveredOf, type DiscoveredResources, type FoundGroups } from './discovered-resource.ts';
import { coreVersion, readGroupByGroup, versionsOf } from './group-by-group.ts';

interface TaggedGroups {
  readonly etag: string;
  readonly found: FoundGroups;
}

/**
 * Reads which resources a server has: by two requests, whose answers are not sent again while they are the same, or
 * group by group where the server does not have that form. A group version that does not answer, as that of a broken
 * aggregated server, is among the failures; the others are found all the same.
 */
export class DiscoveryClient {
  private readonly client: Client;
  /** The last aggregated answers that had an entity tag, by path. */
  private readonly tagged = new Map<string, TaggedGroups>();
  private last:
    { readonly core: FoundGroups; readonly named: FoundGroups; readonly all: DiscoveredResources } | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  /**
   * Everything, in the order of the server's groups; the same object while nothing changes. Rejects where the list of
   * groups itself cannot be read.
   */
  async resources(options: CallOptions = {}): Promise<DiscoveredResources> {
    const named = await this.read<APIGroupList>('/apis', options);
    if ('plain' in named) {
      const versions = [coreVersion, ...versionsOf(named.plain)];
      return discoveredOf(await readGroupByGroup(this.client, versions, options));
    }
    const core = await this.core(options);
    if (this.last?.core !== core || this.last.named !== named)
      this.last = { core, named, all: discoveredOf(core, named) };
    return this.last.all;
  }

  private async core(options: CallOptions): Promise<FoundGroups> {
    try {
      const core = await this.read<APIVersions>('/api', options);
      return 'plain' in core ? await readGroupByGroup(this.client, [coreVersion], options) : core;
    } catch (error) {
      options.signal?.throwIfAborted();
      return { resources: [], failures: new Map([[coreVersion.groupVersion, error]]) };
    }
  }

  private async read<P extends APIGroupList | APIVersions>(
    path: string,
    { signal }: CallOptions,
  ): Promise<FoundGroups | { readonly plain: P }> {
    const known = this.tagged.get(path);
    const answer = await this.client.getDocument<P | APIGroupDiscoveryList>(path, {
      accept: ACCEPT_AGGREGATED,
      ...(known === undefined ? {} : { ifNoneMatch: known.etag }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer === undefined) return known!.found;
    const { body, etag } = answer;
    this.tagged.delete(path);
    if (!isAggregated(body)) return { plain: body };
    const found = readAggregated(body);
    if (etag !== undefined) this.tagged.set(path, { etag, found });
    return found;
  }
}
