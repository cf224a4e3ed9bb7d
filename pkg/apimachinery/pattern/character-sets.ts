import { PatternError, type CharacterSet } from './pattern-node.ts';

const code = (text: string): number => text.codePointAt(0)!;

export function range(first: number, last: number): CharacterSet {
  return (c) => c >= first && c <= last;
}

export function anyOf(sets: readonly CharacterSet[]): CharacterSet {
  return (c) => sets.some((has) => has(c));
}

export function not(set: CharacterSet): CharacterSet {
  return (c) => !set(c);
}

/** The set with the other case of each of its letters. */
export function caseless(set: CharacterSet): CharacterSet {
  return (c) => {
    const text = String.fromCodePoint(c);
    return set(c) || set(code(text.toLowerCase())) || set(code(text.toUpperCase()));
  };
}

/** `a-z` and single characters, of ASCII. */
function ascii(text: string): CharacterSet {
  return anyOf(
    [...text.matchAll(/(.)-(.)|([^])/g)].map(([, first, last, single]) =>
      single === undefined ? range(code(first!), code(last!)) : range(code(single), code(single)),
    ),
  );
}

export const wordCharacters = ascii('0-9A-Za-z_');

/** Sets of ASCII behind a letter; a capital letter means all other characters. */
const perl: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', ascii('0-9')],
  ['s', ascii('\t\n\f\r ')],
  ['w', wordCharacters],
]);

/** `\d`, `\D`, `\s`, `\S`, `\w`, `\W`; undefined for other letters. */
export function perlSet(letter: string): CharacterSet | undefined {
  const set = perl.get(letter.toLowerCase());
  return set === undefined || perl.has(letter) ? set : not(set);
}

const posix: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', ascii('0-9A-Za-z')],
  ['alpha', ascii('A-Za-z')],
  ['ascii', range(0, 127)],
  ['blank', ascii('\t ')],
  ['cntrl', anyOf([range(0, 31), range(127, 127)])],
  ['digit', ascii('0-9')],
  ['graph', range(33, 126)],
  ['lower', ascii('a-z')],
  ['print', range(32, 126)],
  ['punct', anyOf([range(33, 47), range(58, 64), range(91, 96), range(123, 126)])],
  ['space', ascii('\t\n\v\f\r ')],
  ['upper', ascii('A-Z')],
  ['word', wordCharacters],
  ['xdigit', ascii('0-9A-Fa-f')],
]);

/** `alpha` and the other POSIX classes, `^alpha` for all others. Throws PatternError for unknown names. */
export function posixSet(name: string): CharacterSet {
  const set = posix.get(name.replace(/^\^/, ''));
  if (set === undefined) throw new PatternError(`there is no class [:${name}:]`);
  return name.startsWith('^') ? not(set) : set;
}

/** Characters of a category or script of Unicode, `L`, `Greek`. Throws PatternError for unknown names. */
export function unicodeSet(name: string): CharacterSet {
  const one = unicodeExpression(name) ?? unicodeExpression(`Script=${name}`);
  if (one === undefined) throw new PatternError(`there is no class \\p{${name}}`);
  return (c) => one.test(String.fromCodePoint(c));
}

/** Undefined where JavaScript has no such property; names are letters, so that they cannot inject syntax. */
function unicodeExpression(property: string): RegExp | undefined {
  if (!/^(Script=[A-Z][A-Za-z_]*|[A-Z][a-z]?)$/.test(property)) return undefined;
  try {
    return new RegExp(`^\\p{${property}}$`, 'u');
  } catch {
    // Not a property of this runtime: the caller reports the class by its name.
    return undefined;
  }
}
