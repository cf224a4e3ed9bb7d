import type { IndexInterval } from '../../api/batch/job/index-intervals.ts';

/** Completion indexes in ascending intervals: `0,3-5,7`. Immutable. */
export class IndexSet {
  static readonly empty = new IndexSet([]);
  private readonly intervals: readonly IndexInterval[];
  readonly size: number;

  private constructor(intervals: readonly IndexInterval[]) {
    this.intervals = intervals;
    this.size = intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** Reads what a status or a policy names. Indexes from `completions` on are left out: indexed jobs may shrink. */
  static parse(text: string | undefined, completions: number): IndexSet {
    const intervals = (text ?? '').split(',').flatMap((part) => {
      const [first = NaN, last = first] = part === '' ? [] : part.split('-').map(Number);
      return first < completions && last >= first ? [{ first, last: Math.min(last, completions - 1) }] : [];
    });
    return new IndexSet(intervals);
  }

  static of(indexes: Iterable<number>): IndexSet {
    return IndexSet.union([...indexes].map((index) => ({ first: index, last: index })));
  }

  has(index: number): boolean {
    let [low, high] = [0, this.intervals.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { first, last } = this.intervals[middle]!;
      if (index < first) high = middle - 1;
      else if (index > last) low = middle + 1;
      else return true;
    }
    return false;
  }

  with(other: IndexSet): IndexSet {
    if (other.size === 0) return this;
    return IndexSet.union([...this.intervals, ...other.intervals]);
  }

  /** How many indexes both have. */
  common(other: IndexSet): number {
    let count = 0;
    for (let i = 0, j = 0; i < this.intervals.length && j < other.intervals.length;) {
      const [x, y] = [this.intervals[i]!, other.intervals[j]!];
      count += Math.max(0, Math.min(x.last, y.last) - Math.max(x.first, y.first) + 1);
      if (x.last <= y.last) i++;
      else j++;
    }
    return count;
  }

  /** The first indexes below `completions` that are not here. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let next = 0;
    for (const { first, last } of [...this.intervals, { first: completions, last: completions }]) {
      for (; next < Math.min(first, completions) && missing.length < count; next++) missing.push(next);
      next = Math.max(next, last + 1);
    }
    return missing;
  }

  toString(): string {
    return this.intervals
      .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join(',');
  }

  private static union(intervals: readonly IndexInterval[]): IndexSet {
    const merged: { first: number; last: number }[] = [];
    for (const { first, last } of intervals.toSorted((a, b) => a.first - b.first)) {
      const end = merged.at(-1);
      if (end !== undefined && first <= end.last + 1) end.last = Math.max(end.last, last);
      else merged.push({ first, last });
    }
    return new IndexSet(merged);
  }
}
