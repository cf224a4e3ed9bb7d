import { anyOf, caseless, not, perlSet, posixSet, range, unicodeSet, wordCharacters } from './character-sets.ts';
import { PatternError, type CharacterSet, type PatternNode } from './pattern-node.ts';

const DEPTH_MAX = 250;
const REPEAT_MAX = 1000;
const NEWLINE = 10;

/** Except `U`, which does not change whether something is found. */
interface Flags {
  /** Letters of both cases are the same. */
  readonly i: boolean;
  /** `^` and `$` match at line ends, too. */
  readonly m: boolean;
  /** A dot matches a newline, too. */
  readonly s: boolean;
}

/** Parses RE2 syntax, as Go's regular expressions have it; throws PatternError. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).parse();
}

const isWord = (c: number | undefined): boolean => c !== undefined && wordCharacters(c);

const places: ReadonlyMap<string, (before: number | undefined, after: number | undefined) => boolean> = new Map([
  ['A', (before) => before === undefined],
  ['z', (_, after) => after === undefined],
  ['b', (before, after) => isWord(before) !== isWord(after)],
  ['B', (before, after) => isWord(before) === isWord(after)],
]);

const controls: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['t', 9],
  ['n', 10],
  ['r', 13],
  ['v', 11],
]);

class PatternParser {
  private readonly source: string;
  private at = 0;
  private depth = 0;
  private flags: Flags = { i: false, m: false, s: false };

  constructor(source: string) {
    this.source = source;
  }

  parse(): PatternNode {
    const node = this.choice();
    if (this.at < this.source.length) throw new PatternError('there is a ) without its (');
    return node;
  }

  /** Consumes the match of `pattern`, a sticky expression, at this position. */
  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private choice(): PatternNode {
    const items = [this.sequence()];
    while (this.take(/\|/y)) items.push(this.sequence());
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  private sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at]!)) {
      const quoted = this.take(/\\Q([^]*?)(?:\\E|$)/y);
      const some =
        quoted === null ? [this.item()] : Array.from(quoted[1]!, (text) => this.character(text.codePointAt(0)!));
      // A repetition applies to the last of them.
      items.push(...some.slice(0, -1), ...some.slice(-1).map((last) => this.repeated(last)));
    }
    return { kind: 'sequence', items };
  }

  private repeated(item: PatternNode): PatternNode {
    const sign = this.repetition();
    if (sign === undefined) return item;
    this.take(/\?/y);
    if (this.repetition() !== undefined) throw new PatternError('a repetition is repeated');
    const { min, max } = sign;
    if (min > max || min > REPEAT_MAX || (max > REPEAT_MAX && max !== Number.POSITIVE_INFINITY))
      throw new PatternError(`repetitions go up to ${REPEAT_MAX}`);
    return { kind: 'repeat', item, min, max };
  }

  private repetition(): { readonly min: number; readonly max: number } | undefined {
    const found = this.take(/[*+?]|\{(\d+)(?:(,)(\d*))?\}/y);
    if (found === null) return undefined;
    const [sign, low, comma, high] = found;
    if (low === undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    return {
      min: Number(low),
      max: comma === undefined ? Number(low) : high === '' ? Number.POSITIVE_INFINITY : Number(high),
    };
  }

  private item(): PatternNode {
    if (this.repetition() !== undefined) throw new PatternError('there is nothing to repeat');
    if (this.take(/\(/y)) return this.group();
    if (this.take(/\[/y)) return { kind: 'character', has: this.characterClass() };
    if (this.take(/\./y)) return { kind: 'character', has: this.flags.s ? () => true : (c) => c !== NEWLINE };
    const { m } = this.flags;
    if (this.take(/\^/y))
      return { kind: 'place', holds: (before) => before === undefined || (m && before === NEWLINE) };
    if (this.take(/\$/y))
      return { kind: 'place', holds: (_, after) => after === undefined || (m && after === NEWLINE) };
    const place = this.take(/\\([AzbB])/y);
    if (place !== null) return { kind: 'place', holds: places.get(place[1]!)! };
    const set = this.escapedSet();
    return set === undefined ? this.character(this.one()) : { kind: 'character', has: this.folded(set) };
  }

  private group(): PatternNode {
    const outer = this.flags;
    const special = this.take(/\?(?:P?<(\w+)>|([imsU]*)(?:-([imsU]+))?([:)]))/y);
    if (special === null && this.source[this.at] === '?') throw new PatternError('there is no such kind of group');
    const [, , on = '', off = '', end] = special ?? [];
    this.flags = {
      i: switched('i', on, off, outer.i),
      m: switched('m', on, off, outer.m),
      s: switched('s', on, off, outer.s),
    };
    // Flags alone hold until the end of the enclosing group.
    if (end === ')') return { kind: 'sequence', items: [] };
    if (++this.depth > DEPTH_MAX) throw new PatternError('groups are nested too deep');
    const node = this.choice();
    if (!this.take(/\)/y)) throw new PatternError('there is a ( without its )');
    this.depth--;
    this.flags = outer;
    return node;
  }

  private characterClass(): CharacterSet {
    const isNegated = this.take(/\^/y) !== null;
    const sets: CharacterSet[] = [];
    for (let first = true; first || !this.take(/\]/y); first = false) {
      if (this.at >= this.source.length) throw new PatternError('there is a [ without its ]');
      const named = this.take(/\[:(\^?\w+):\]/y);
      const set = named === null ? this.escapedSet() : posixSet(named[1]!);
      sets.push(set ?? this.characterRange());
    }
    const has = this.folded(anyOf(sets));
    return isNegated ? not(has) : has;
  }

  private characterRange(): CharacterSet {
    const first = this.one();
    const last = this.take(/-(?!\])/y) ? this.one() : first;
    if (last < first) throw new PatternError('a range in a class ends before it begins');
    return range(first, last);
  }

  private escapedSet(): CharacterSet | undefined {
    const short = this.take(/\\([dDsSwW])/y);
    if (short !== null) return perlSet(short[1]!);
    const unicode = this.take(/\\([pP])(?:\{(\^?)(\w+)\}|(\w))/y);
    if (unicode === null) return undefined;
    const [, letter, denied, long, single] = unicode;
    const set = unicodeSet(long ?? single!);
    return (letter === 'P') !== (denied === '^') ? not(set) : set;
  }

  /** One character, literal or escaped. */
  private one(): number {
    const [text] = this.take(/\\(?:x\{[\da-fA-F]+\}|x[\da-fA-F]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2}|[^])?|[^]/uy) ?? [];
    if (text === undefined) throw new PatternError('a class is not at its end');
    if (!text.startsWith('\\')) return text.codePointAt(0)!;
    const escaped = text.slice(1);
    const digits = /^x\{?([\da-fA-F]+)\}?$/.exec(escaped)?.[1];
    const value =
      digits !== undefined
        ? Number.parseInt(digits, 16)
        : /^[0-7]+$/.test(escaped) && (escaped.length > 1 || escaped === '0')
          ? Number.parseInt(escaped, 8)
          : controls.get(escaped);
    if (value !== undefined && value <= 0x10ffff) return value;
    // Letters and digits without a meaning now might get one later.
    if (value !== undefined || !/^[!-/:-@[-`{-~]$/.test(escaped)) throw new PatternError(`${text} means nothing`);
    return escaped.codePointAt(0)!;
  }

  private character(character: number): PatternNode {
    return { kind: 'character', has: this.folded(range(character, character)) };
  }

  private folded(set: CharacterSet): CharacterSet {
    return this.flags.i ? caseless(set) : set;
  }
}

function switched(flag: string, on: string, off: string, before: boolean): boolean {
  return !off.includes(flag) && (before || on.includes(flag));
}
