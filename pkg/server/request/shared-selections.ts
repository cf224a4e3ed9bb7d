import type { AnyResource } from '../../api/resource-definition.ts';
import type { Selection } from './selectors.ts';

/**
 * Characters of the selectors that are kept, of all resources together; compiled they take some sixteen times as many
 * bytes.
 */
const LENGTH_MAX = 512 * 1024;

/**
 * Compiled selections by resource and text: requests and watches with the same selectors share one. The least recently
 * used are dropped.
 */
export class SharedSelections {
  private readonly entries = new Map<string, Selection>();
  private readonly ids = new WeakMap<AnyResource, number>();
  private readonly lengthMax: number;
  private nextId = 0;
  private length = 0;

  constructor(lengthMax = LENGTH_MAX) {
    this.lengthMax = lengthMax;
  }

  /** The selection of these texts, made by `compile` when it is not cached; errors of `compile` are not cached. */
  get(definition: AnyResource, labelSelector: string, fieldSelector: string, compile: () => Selection): Selection {
    const key = `${this.idOf(definition)}\n${labelSelector}\n${fieldSelector}`;
    const known = this.entries.get(key);
    if (known !== undefined) {
      // A map keeps the order in which keys came: the first is the one that was not used for the longest time.
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    const made = compile();
    this.entries.set(key, made);
    this.length += key.length;
    for (const oldest of this.entries.keys()) {
      if (this.length <= this.lengthMax) break;
      this.entries.delete(oldest);
      this.length -= oldest.length;
    }
    return made;
  }

  private idOf(definition: AnyResource): number {
    let id = this.ids.get(definition);
    if (id === undefined) this.ids.set(definition, (id = this.nextId++));
    return id;
  }
}
