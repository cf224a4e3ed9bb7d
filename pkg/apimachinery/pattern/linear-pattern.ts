/**
 * Regular expressions with Go's syntax (RE2), matched in a time that grows with text and pattern, never exponentially:
 * the sender of the text may be an attacker, and JavaScript's own expressions backtrack.
 */
import { parsePattern } from './parse-pattern.ts';
import { PatternError, type CharacterSet, type PatternNode } from './pattern-node.ts';

/** Parts of one pattern, the empty ones as well; repetitions are expanded. */
const PARTS_MAX = 10_000;

type Step =
  | { readonly kind: 'character'; readonly has: CharacterSet; readonly next: number }
  | {
      readonly kind: 'place';
      readonly holds: (before: number | undefined, after: number | undefined) => boolean;
      readonly next: number;
    }
  | { readonly kind: 'fork'; readonly next: readonly number[] }
  | { readonly kind: 'found' };

const FOUND = 0;

export class LinearPattern {
  private readonly steps: Step[] = [{ kind: 'found' }];
  private readonly first: number;
  private parts = 0;

  /** Throws PatternError for a text that is no pattern, or one that is too large. */
  constructor(source: string) {
    this.first = this.build(parsePattern(source), FOUND);
  }

  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean {
    const characters = Array.from(text, (one) => one.codePointAt(0)!);
    // The position at which a step was last reached: each is followed once per position.
    const seen = new Int32Array(this.steps.length).fill(-1);
    let here: number[] = [];
    for (let place = 0; place <= characters.length; place++) {
      const [before, after] = [characters[place - 1], characters[place]];
      const ahead: number[] = [];
      const todo = [...here, this.first];
      while (todo.length > 0) {
        const at = todo.pop()!;
        if (seen[at] === place) continue;
        seen[at] = place;
        const step = this.steps[at]!;
        if (step.kind === 'found') return true;
        if (step.kind === 'fork') todo.push(...step.next);
        else if (step.kind === 'place') todo.push(...(step.holds(before, after) ? [step.next] : []));
        else if (after !== undefined && step.has(after)) ahead.push(step.next);
      }
      here = ahead;
    }
    return false;
  }

  /** Adds the steps of a node, which continue at `next`; returns the first of them. */
  private build(node: PatternNode, next: number): number {
    if (++this.parts > PARTS_MAX) throw new PatternError('it is too large');
    switch (node.kind) {
      case 'character':
      case 'place':
        return this.add({ ...node, next });
      case 'sequence':
        return node.items.reduceRight((after, item) => this.build(item, after), next);
      case 'choice':
        return this.add({ kind: 'fork', next: node.items.map((item) => this.build(item, next)) });
      case 'repeat':
        return this.repeat(node.item, node.min, node.max, next);
    }
  }

  private repeat(item: PatternNode, min: number, max: number, next: number): number {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const ways: number[] = [next];
      first = this.add({ kind: 'fork', next: ways });
      ways.push(this.build(item, first));
    } else {
      for (let i = min; i < max; i++) first = this.add({ kind: 'fork', next: [this.build(item, first), next] });
    }
    for (let i = 0; i < min; i++) first = this.build(item, first);
    return first;
  }

  private add(step: Step): number {
    return this.steps.push(step) - 1;
  }
}
