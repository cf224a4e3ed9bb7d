import { detachedText } from '../json/detached-text.ts';

type Branches<V> = Map<string, Map<string, Map<string, Map<string, Map<string, V>>>>>;

/**
 * Values by five texts. They are looked up one after the other: to join them and to look that up takes several times as
 * long, and would confuse keys from clients that contain the separator. The texts are kept as copies.
 */
export class KeyTree<V> {
  private readonly branches: Branches<V> = new Map();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(first: string, second: string, third: string, fourth: string, fifth: string): V | undefined {
    return this.branches.get(first)?.get(second)?.get(third)?.get(fourth)?.get(fifth);
  }

  set(first: string, second: string, third: string, fourth: string, fifth: string, value: V): void {
    const leaves = branch(branch(branch(branch(this.branches, first), second), third), fourth);
    if (!leaves.has(fifth)) this.count++;
    leaves.set(detachedText(fifth), value);
  }

  clear(): void {
    this.branches.clear();
    this.count = 0;
  }
}

function branch<V>(branches: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let found = branches.get(key);
  if (found === undefined) branches.set(detachedText(key), (found = new Map()));
  return found;
}
