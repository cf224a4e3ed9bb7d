import type { CachedObject } from './cached-object.ts';
import type { CachedEvent } from './event-ring.ts';

/** A requirement of a selector: a field or a label has exactly this value. */
export interface ExactRequirement {
  readonly of: 'field' | 'label';
  readonly name: string;
  readonly value: string;
}

/** Members by the value of one field or label. */
type Buckets<T> = Map<string, Set<T>>;

/**
 * Finds the members (groups of watchers of one scope) that an event may concern, without visiting the others. A member
 * is indexed by one of its exact requirements, or is in the rest, which every event concerns. It never leaves out a
 * member whose selection the object matches before or after the event.
 */
export class WatchIndex<T> {
  private readonly members = new Map<T, ExactRequirement | undefined>();
  private readonly rest = new Set<T>();
  /** By name of the field, or of the label. */
  private readonly byField = new Map<string, Buckets<T>>();
  private readonly byLabel = new Map<string, Buckets<T>>();

  add(member: T, exact: readonly ExactRequirement[]): void {
    const requirement = this.mostSelective(exact);
    this.members.set(member, requirement);
    if (requirement === undefined) {
      this.rest.add(member);
      return;
    }
    const { name, value } = requirement;
    const dimensions = this.dimensionsOf(requirement);
    let buckets = dimensions.get(name);
    if (buckets === undefined) dimensions.set(name, (buckets = new Map<string, Set<T>>()));
    const bucket = buckets.get(value);
    if (bucket === undefined) buckets.set(value, new Set([member]));
    else bucket.add(member);
  }

  remove(member: T): void {
    const requirement = this.members.get(member);
    this.members.delete(member);
    if (requirement === undefined) {
      this.rest.delete(member);
      return;
    }
    const { name, value } = requirement;
    const dimensions = this.dimensionsOf(requirement);
    const buckets = dimensions.get(name);
    const bucket = buckets?.get(value);
    if (buckets === undefined || bucket === undefined) return;
    bucket.delete(member);
    if (bucket.size === 0) buckets.delete(value);
    if (buckets.size === 0) dimensions.delete(name);
  }

  /**
   * The members that the event may concern, in sets that may share some. All of them where a value of the object cannot
   * be read. The sets change with the index: members that are added meanwhile may be included.
   */
  candidates(event: CachedEvent): Iterable<T>[] {
    const found: Set<T>[] = this.rest.size === 0 ? [] : [this.rest];
    try {
      // The object of a deletion is the previous one under another revision.
      if (event.previous !== undefined) this.collect(event.previous, found);
      if (!event.deleted) this.collect(event.object, found);
      return found;
    } catch {
      // Each member fails separately, and is reported there.
      return [this.members.keys()];
    }
  }

  /**
   * Upper bound of the members' `weight` that one state of an object concerns: the rest, and of each field and label
   * the heaviest bucket.
   */
  weightOfOne(weight: (member: T) => number): number {
    const sum = (members: Iterable<T>): number => {
      let total = 0;
      for (const member of members) total += weight(member);
      return total;
    };
    let total = sum(this.rest);
    for (const dimensions of [this.byField, this.byLabel]) {
      for (const buckets of dimensions.values()) {
        let most = 0;
        for (const bucket of buckets.values()) most = Math.max(most, sum(bucket));
        total += most;
      }
    }
    return total;
  }

  private collect(object: CachedObject, found: Set<T>[]): void {
    for (const [name, buckets] of this.byField) push(found, buckets.get(object.field(name)));
    if (this.byLabel.size === 0) return;
    const labels = object.labels();
    if (labels === undefined) return;
    for (const name of Object.keys(labels)) push(found, this.byLabel.get(name)?.get(labels[name]!));
  }

  /** The requirement whose bucket has the fewest members at present. */
  private mostSelective(exact: readonly ExactRequirement[]): ExactRequirement | undefined {
    let best: ExactRequirement | undefined;
    let fewest = Infinity;
    for (const requirement of exact) {
      const count = this.dimensionsOf(requirement).get(requirement.name)?.get(requirement.value)?.size ?? 0;
      if (count >= fewest) continue;
      best = requirement;
      fewest = count;
    }
    return best;
  }

  private dimensionsOf({ of }: ExactRequirement): Map<string, Buckets<T>> {
    return of === 'field' ? this.byField : this.byLabel;
  }
}

function push<T>(found: Set<T>[], bucket: Set<T> | undefined): void {
  if (bucket !== undefined && !found.includes(bucket)) found.push(bucket);
}
