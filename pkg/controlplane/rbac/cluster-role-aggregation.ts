import { deepEqual } from '../../apimachinery/json/deep.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { changeOwn } from '../../registry/own-writes.ts';
import { GatheredRounds } from '../gathered-rounds.ts';

/** Aggregating roles may be parts of others. */
const ROUNDS_MAX = 10;

/**
 * What the cache may not show yet, by the names of the roles: two roles that select each other would else take turns
 * with their rules for ever.
 */
type WrittenRules = Map<string, readonly PolicyRule[]>;

/**
 * Fills the rules of aggregating cluster roles from those that their selectors find, as the controller of that name
 * does; needed until a controller manager does it. Several servers may do it at once: all come to the same rules, and
 * what is there already is not written again.
 */
export class ClusterRoleAggregation {
  private readonly store: ResourceStore;
  private readonly onError: (error: unknown) => void;
  private readonly rounds: GatheredRounds;

  constructor(store: ResourceStore, onError: (error: unknown) => void) {
    this.store = store;
    this.onError = onError;
    this.rounds = new GatheredRounds(() => this.fillAll(), onError);
    const changed = (): void => this.rounds.schedule();
    store.cache.listen({ reset: changed, changed });
  }

  /** Fills all roles once, those made of aggregating ones included. */
  async settle(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.store.cacher.fresh();
      const written = await this.fillAll();
      if (!written) return;
    }
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /**
   * Whether anything had to be written: what then changes is looked at again. A role that cannot be filled keeps what
   * it has, and holds no other up.
   */
  private async fillAll(): Promise<boolean> {
    const all = [...this.store.cache.snapshot().values()];
    const written: WrittenRules = new Map();
    for (const cached of all) {
      if (this.rounds.stopped) break;
      try {
        await this.fill(cached, all, written);
      } catch (error) {
        this.onError(error);
      }
    }
    return written.size > 0;
  }

  /** Writes the role where it has to be, and adds it to `written` then. */
  private async fill(cached: CachedObject, all: readonly CachedObject[], written: WrittenRules): Promise<void> {
    const role = cached.object() as ClusterRole;
    if (role.aggregationRule === undefined) return;
    const rules = gatheredRules(role, all, written);
    if (deepEqual(rules, role.rules ?? [])) return;
    try {
      await changeOwn<ClusterRole>(this.store, '', cached.name, (current) => {
        if (current.aggregationRule !== undefined) current.rules = rules;
      });
      written.set(cached.name, rules);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/**
 * Rules of all roles that the selectors find, selector by selector, by the names of the roles, each rule once: in the
 * order of the controller, which would undo any other.
 */
function gatheredRules(
  { metadata, aggregationRule }: ClusterRole,
  all: readonly CachedObject[],
  written: WrittenRules,
): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const selector of (aggregationRule?.clusterRoleSelectors ?? []).map(labelSelectorAsSelector)) {
    // The cache holds its objects in the order of their names.
    for (const cached of all) {
      if (cached.name === metadata.name || !selector.matches(cached.labels())) continue;
      for (const rule of written.get(cached.name) ?? (cached.object() as ClusterRole).rules ?? []) {
        const key = JSON.stringify(rule);
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}
