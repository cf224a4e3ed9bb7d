import { keyOf, type ObjectIdentity } from './graph-node.ts';

const OWNERS_MAX = 500;

/** Owners that are known to be gone, the latest of them: an object never comes back with the same uid. */
export class AbsentOwners {
  private readonly keys = new Set<string>();

  add(identity: ObjectIdentity): void {
    const key = keyOf(identity);
    this.keys.delete(key);
    this.keys.add(key);
    if (this.keys.size <= OWNERS_MAX) return;
    const [oldest] = this.keys;
    this.keys.delete(oldest!);
  }

  has(identity: ObjectIdentity): boolean {
    return this.keys.has(keyOf(identity));
  }
}
