import { detachedText } from '../../apimachinery/json/detached-text.ts';

/** Number of cached pieces, and the longest that their texts may be: clients can make up others without end. */
const PIECES_MAX = 1000;
const LENGTH_MAX = 256;

/**
 * Pieces of JSON that many events have, by the two texts they consist of. Each is a flat string: a concatenated one
 * stays a chain until it is written, and every link of that costs some 45 ns.
 */
export class PieceMemory {
  private readonly make: (first: string, second: string) => string;
  private readonly pieces = new Map<string, Map<string, string>>();
  private count = 0;

  constructor(make: (first: string, second: string) => string) {
    this.make = make;
  }

  get(first: string, second = ''): string {
    return this.pieces.get(first)?.get(second) ?? this.remember(first, second);
  }

  private remember(first: string, second: string): string {
    const piece = this.make(first, second);
    if (first.length > LENGTH_MAX || second.length > LENGTH_MAX) return piece;
    if (this.count >= PIECES_MAX) {
      this.pieces.clear();
      this.count = 0;
    }
    let bySecond = this.pieces.get(first);
    if (bySecond === undefined) this.pieces.set(detachedText(first), (bySecond = new Map()));
    const flat = detachedText(piece);
    bySecond.set(detachedText(second), flat);
    this.count++;
    return flat;
  }
}
