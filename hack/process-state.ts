/** The formatter puts what belongs to a module, and to nothing in it, into the first column. */
const VARIABLE = /^(?:export )?(?:(let|var) ([\w$]+)|const ([\w$]+)(?:: .*?)? = (?:new ([\w$.]+)|([[{])))/gm;
const STATICS = [
  /^ +(?:\w+ )?static #?[\w$]+(?:: .*?)?(?: =|;)/gm,
  /^ +(?:\w+ )?static readonly #?[\w$]+(?:: .*?)? = new (?:Weak)?(?:Map|Set)\b/gm,
];
const IMPORTS = /^import (?:type )?(?:[\w$]+, )?\{([^}]*)\}/gm;
/** Says why the whole process has a variable, or several that no empty line divides. */
const REASON = /\bProcess-wide: \S/;
const COLLECTIONS: ReadonlySet<string> = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
/** Classes whose instances hold nothing that changes. */
const PLAIN: ReadonlySet<string> = new Set(['RegExp', 'Error', 'TextEncoder', 'TextDecoder', 'URL', 'Uint8Array']);
const CHANGES = 'set|add|delete|clear|push|pop|shift|unshift|splice|sort|fill';

/**
 * Lines of a source where a module has state that may change after the module is loaded, without a comment
 * `Process-wide:` that says why: `let`, collections and object literals that the module itself changes, instances of
 * classes, static fields, and assignments to properties of what is imported. Two servers in one process must not see
 * each other.
 */
export function processState(source: string): number[] {
  const lines: number[] = [];
  const report = (index: number): number => lines.push(source.slice(0, index).split('\n').length);
  for (const { 0: text, 1: word, 3: name = '', 4: type = '', index } of source.matchAll(VARIABLE)) {
    const isLiteral = /[[{]$/.test(text);
    const isState =
      word !== undefined || (isLiteral || COLLECTIONS.has(type) ? isChanged(source, name) : !PLAIN.has(type));
    if (isState && !REASON.test(linesAbove(source, index))) report(index);
  }
  for (const { index } of STATICS.flatMap((statics) => [...source.matchAll(statics)]))
    if (!REASON.test(linesAbove(source, index))) report(index);
  for (const name of importedNames(source)) {
    for (const { index } of source.matchAll(assignmentsTo(name))) report(index);
  }
  return lines.sort((a, b) => a - b);
}

function isChanged(source: string, name: string): boolean {
  return (
    new RegExp(`(?<![\\w$.])${escaped(name)}\\.(?:${CHANGES})\\(`).test(source) || assignmentsTo(name).test(source)
  );
}

/** `name.property = …`, `name[key] ??= …`, `delete name.property`, `name.count++`. */
function assignmentsTo(name: string): RegExp {
  const member = `(?<![\\w$.]|: )${escaped(name)}(?:\\.[\\w$]+|\\[[^\\]]+\\])`;
  return new RegExp(`${member}(?:\\+\\+|--| (?:[-+*/%&|^?]{1,2})?= )|delete ${member}(?![\\w$.([])`, 'g');
}

function importedNames(source: string): string[] {
  return [...source.matchAll(IMPORTS)].flatMap(([, names]) =>
    names!
      .split(',')
      .map((name) => name.trim().split(' ').at(-1)!)
      .filter(Boolean),
  );
}

/** From the empty line above. */
function linesAbove(source: string, index: number): string {
  return source.slice(source.lastIndexOf('\n\n', index) + 1, index);
}

const escaped = (name: string): string => name.replaceAll('$', '\\$');
