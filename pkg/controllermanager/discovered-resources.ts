import { groupVersionOf, type Resource } from '../api/resource.ts';
import { sleep, type Clock } from '../apimachinery/clock.ts';
import type { DiscoveredResources } from '../client/discovery/discovered-resource.ts';
import { DiscoveryClient } from '../client/discovery/discovery-client.ts';
import type { Client } from '../client/rest/client.ts';
import type { ServedResources } from './run-controllers.ts';

/** How long until resources that are added later are found. */
const PERIOD_MS = 30_000;
const RETRY_MS = 1000;

export interface DiscoveredServedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * The resources that another process serves, as its discovery says; read again from time to time. A group that does
 * not answer harms no other one, and keeps what it had.
 */
export class DiscoveredServed implements ServedResources {
  private readonly options: DiscoveredServedOptions;
  private readonly discovery: DiscoveryClient;
  private readonly callbacks = new Set<() => void>();
  private readonly reported = new Set<string>();
  private served = new Map<string, ReadonlySet<string>>();

  constructor(options: DiscoveredServedOptions) {
    this.options = options;
    this.discovery = new DiscoveryClient(options.client);
  }

  isServed(resource: Resource): boolean {
    return this.served.get(groupVersionOf(resource))?.has(resource.resource) ?? false;
  }

  onChange(callback: () => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /** Reads until `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    while (!signal.aborted) {
      const isKnown = await this.read(signal);
      await sleep(clock, isKnown ? PERIOD_MS : RETRY_MS, signal);
    }
  }

  private async read(signal: AbortSignal): Promise<boolean> {
    const { onError } = this.options;
    try {
      this.take(await this.discovery.resources({ signal }));
      return true;
    } catch (error) {
      if (!signal.aborted) onError(error, 'discovery');
      return false;
    }
  }

  private take({ resources, failures }: DiscoveredResources): void {
    const before = this.served;
    const found = new Map<string, Set<string>>();
    for (const { resource } of resources) {
      const groupVersion = groupVersionOf(resource);
      const names = found.get(groupVersion) ?? new Set();
      found.set(groupVersion, names.add(resource.resource));
    }
    const next = new Map<string, ReadonlySet<string>>(found);
    for (const [groupVersion, error] of failures) {
      const kept = before.get(groupVersion);
      if (kept !== undefined) next.set(groupVersion, kept);
      if (!this.reported.has(groupVersion)) this.options.onError(error, `discovery of ${groupVersion}`);
    }
    // Each failure once, until it is over.
    this.reported.clear();
    for (const groupVersion of failures.keys()) this.reported.add(groupVersion);
    this.served = next;
    if (!areSame(before, next)) for (const callback of this.callbacks) callback();
  }
}

function areSame(one: ReadonlyMap<string, ReadonlySet<string>>, other: typeof one): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([groupVersion, names]) => {
    const others = other.get(groupVersion);
    return others?.size === names.size && [...names].every((name) => others.has(name));
  });
}
