import { persistentVolumeClaims, pods, services } from '../../api/core/tokens.ts';
import { groupVersionOf, resourceKey, type Resource } from '../../api/resource.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import type { EvaluatorOf } from '../../api/core/resource-quota/usage/evaluators.ts';
import { sleep, type Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import type { DiscoveredResource, DiscoveredResources } from '../../client/discovery/discovered-resource.ts';
import { InformerSet } from '../../client/informer/informer-set.ts';
import type { Client } from '../../client/rest/client.ts';
import { metadataOf } from '../../client/rest/partial-metadata.ts';
import type { ControllerContext, ObjectHandler } from '../controller-context.ts';
import type { CountedResource } from './calculate-usage.ts';

/** Every controller manager follows these anyway. */
export const ALWAYS_FOLLOWED = [pods, services, persistentVolumeClaims] as const;
const FOLLOWED_KEYS: ReadonlySet<string> = new Set(ALWAYS_FOLLOWED.map(resourceKey));

const VERBS = ['create', 'list', 'watch', 'delete'];
/** What is served may change. */
const PERIOD_MS = 30_000;
const RETRY_MS = 1000;
/** A resource whose objects cannot be listed does not keep the others waiting for longer. */
const SYNC_MS = 5000;

const NOTHING: DiscoveredResources = { resources: [], failures: new Map() };

export interface CountedObjectsOptions extends Pick<ControllerContext, 'sources' | 'informers' | 'clock'> {
  readonly client: Client;
  readonly evaluatorOf: EvaluatorOf;
  /** The names of amounts that quotas bound at present. */
  readonly boundedNames: () => Iterable<string>;
  readonly handlerOf: (evaluator: QuotaEvaluator) => ObjectHandler<ApiObject>;
  /** Objects of resources that were not served before are known. */
  readonly onFound: (evaluators: readonly QuotaEvaluator[]) => void;
  readonly report: (error: unknown) => void;
}

/**
 * The objects of every resource that some quota counts and no other controller has to follow: of most their metadata
 * alone, and of none while no quota names it. Resources come and go.
 */
export class CountedObjects {
  private readonly options: CountedObjectsOptions;
  private readonly clock: Clock;
  private readonly discovery: CachedDiscovery;
  private readonly set: InformerSet<ApiObject>;
  private readonly stopping = new AbortController();
  /** Group versions that do not answer; each is reported once, until it is over. */
  private broken: ReadonlySet<string> = new Set();
  private following: Promise<boolean> = Promise.resolve(true);
  private isFollowWaiting = false;
  private running: Promise<void> | undefined;

  constructor(options: CountedObjectsOptions) {
    const { client, clock, sources, informers: shared, handlerOf, evaluatorOf, report } = options;
    this.options = options;
    this.clock = clock;
    this.discovery = new CachedDiscovery(client, { clock, maxAgeMs: PERIOD_MS });
    this.set = new InformerSet(sources, (resource) => handlerOf(evaluatorOf(resource)!), { report, clock, shared });
  }

  /** What is followed now. */
  resources(): CountedResource[] {
    return this.set.resources.map((resource) => {
      const informer = this.set.find(resource)!;
      return {
        key: resourceKey(resource),
        evaluator: this.options.evaluatorOf(resource)!,
        objects: (namespace) => (informer.synced ? informer.lister.list({ namespace }) : undefined),
      };
    });
  }

  /** Resolves when the objects that the bounded names of now need are known, or take too long. */
  async ready(): Promise<void> {
    await this.following;
  }

  /** Other names are bounded than before. */
  namesChanged(): void {
    void this.queueFollow();
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.set.stop();
    await this.following;
    await this.running;
  }

  /** Reads again and again what is served. */
  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isKnown = await this.following;
      await sleep(this.clock, isKnown ? PERIOD_MS : RETRY_MS, signal);
      if (!signal.aborted) await this.queueFollow();
    }
  }

  /** One after the other; resolves false where the server did not say what it has. */
  private queueFollow(): Promise<boolean> {
    if (this.isFollowWaiting) return this.following;
    this.isFollowWaiting = true;
    this.following = this.following.then(async () => {
      this.isFollowWaiting = false;
      try {
        await this.follow();
        return true;
      } catch (error) {
        if (!this.stopping.signal.aborted) this.options.report(error);
        return false;
      }
    });
    return this.following;
  }

  /** Resources of groups that do not answer are followed on, if they were. */
  private async follow(): Promise<void> {
    const names = this.openNames();
    const { resources, failures } = names.length === 0 ? NOTHING : await this.discovered(names);
    const wanted = resources.filter((found) => this.counts(found, names)).map(({ resource }) => this.shown(resource));
    const keys = new Set(wanted.map(resourceKey));
    const kept = this.set.resources.filter(
      (resource) => failures.has(groupVersionOf(resource)) && !keys.has(resourceKey(resource)),
    );
    if (this.stopping.signal.aborted) return;
    const { added } = await this.set.follow([...wanted, ...kept]);
    if (added.length === 0) return;
    await this.whenSynced();
    this.options.onFound(added.map((resource) => this.options.evaluatorOf(resource)!));
  }

  /** A name that nothing counts may be of a resource that is served since a moment. */
  private async discovered(names: readonly string[]): Promise<DiscoveredResources> {
    let found = await this.discovery.resources();
    const isCounted = (name: string): boolean => found.resources.some((one) => this.counts(one, [name]));
    if (!names.every(isCounted)) {
      this.discovery.invalidate();
      found = await this.discovery.resources();
    }
    for (const [groupVersion, error] of found.failures) {
      if (!this.broken.has(groupVersion))
        this.options.report(new Error(`discovery of ${groupVersion}: ${(error as Error).message}`, { cause: error }));
    }
    this.broken = new Set(found.failures.keys());
    return found;
  }

  /** The bounded names that depend on what is served. */
  private openNames(): string[] {
    const { boundedNames, evaluatorOf } = this.options;
    const always = ALWAYS_FOLLOWED.map((resource) => evaluatorOf(resource)!);
    return [...boundedNames()].filter((name) => !always.some((evaluator) => evaluator.counts(name)));
  }

  private counts({ resource, verbs, isPreferred }: DiscoveredResource, names: readonly string[]): boolean {
    if (!isPreferred || !resource.namespaced || FOLLOWED_KEYS.has(resourceKey(resource))) return false;
    if (!VERBS.every((verb) => verbs.includes(verb))) return false;
    const evaluator = this.options.evaluatorOf(resource);
    return evaluator !== undefined && names.some((name) => evaluator.counts(name));
  }

  private shown(resource: Resource): Resource {
    return this.options.evaluatorOf(resource)!.isCountOnly === true ? metadataOf(resource) : resource;
  }

  private async whenSynced(): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([this.set.whenSynced(), sleep(this.clock, SYNC_MS, waiting.signal)]);
    waiting.abort();
  }
}
