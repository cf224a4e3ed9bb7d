import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import type { Resource } from '../../api/resource.ts';
import type { Client } from '../rest/client.ts';
import type { DiscoveredResource, DiscoveredResources } from './discovered-resource.ts';
import { DiscoveryClient } from './discovery-client.ts';

export interface CachedDiscoveryOptions {
  /** What is known is read again after this long. Default 10 minutes. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
}

const MAX_AGE_MS = 10 * 60_000;
/** A name that is not known makes discovery be read again, but not more often than this. */
const MISS_MS = 10_000;

/**
 * What the server serves, cached; read again when it is old, when a caller invalidates it, and when a name is unknown,
 * which may be that of a resource that has just been added. Concurrent calls share one read.
 */
export class CachedDiscovery {
  private readonly client: DiscoveryClient;
  private readonly clock: Clock;
  private readonly maxAgeMs: number;
  private known: { readonly found: DiscoveredResources; readonly readMs: number } | undefined;
  private reading: Promise<DiscoveredResources> | undefined;

  constructor(client: Client, { clock = systemClock, maxAgeMs = MAX_AGE_MS }: CachedDiscoveryOptions = {}) {
    this.client = new DiscoveryClient(client);
    this.clock = clock;
    this.maxAgeMs = maxAgeMs;
  }

  /** Everything, in the order of the server's groups. */
  resources(): Promise<DiscoveredResources> {
    return this.isYoungerThan(this.maxAgeMs) ? Promise.resolve(this.known!.found) : this.read();
  }

  /** The next call asks the server. */
  invalidate(): void {
    this.known = undefined;
  }

  /** The resource of a kind in a version, as an owner reference names it; undefined where there is none. */
  forKind(apiVersion: string, kind: string): Promise<Resource | undefined> {
    return this.find(({ resource }) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** The resource by group and plural name, in the preferred version where none is named. */
  forResource(group: string, name: string, version?: string): Promise<Resource | undefined> {
    return this.find(
      ({ resource, isPreferred }) =>
        resource.group === group &&
        resource.resource === name &&
        (version === undefined ? isPreferred : resource.version === version),
    );
  }

  private async find(matches: (found: DiscoveredResource) => boolean): Promise<Resource | undefined> {
    const known = (await this.resources()).resources.find(matches);
    if (known !== undefined || this.isYoungerThan(MISS_MS)) return known?.resource;
    return (await this.read()).resources.find(matches)?.resource;
  }

  private isYoungerThan(ageMs: number): boolean {
    return this.known !== undefined && this.clock.steadyMs() - this.known.readMs < ageMs;
  }

  private read(): Promise<DiscoveredResources> {
    this.reading ??= this.readNow().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readNow(): Promise<DiscoveredResources> {
    const found = await this.client.resources();
    this.known = { found, readMs: this.clock.steadyMs() };
    return found;
  }
}

function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
