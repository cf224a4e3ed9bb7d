import path from 'node:path';
import type { SourceFile } from './imports.ts';

const FROM =
  /(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s*from\s*'(\.[^']+)'/g;
const DYNAMIC = /import\s*\(\s*'(\.[^']+)'/g;
const EXPORTED = /^export\s+(?:abstract\s+|async\s+)*(const|let|function\*?|class|interface|type|enum)\s+([\w$]+)/gm;

/**
 * Exports of `sources` that no file of the tree imports, as `file: name`. A type counts as used where its own file uses
 * it: it is then part of what the file exports. A dynamic import, or one of `*`, uses everything.
 */
export function unusedExports(sources: readonly SourceFile[], tree: readonly SourceFile[]): string[] {
  const used = usedNames(tree);
  return sources.flatMap(({ file, text }) => {
    const names = used.get(file);
    if (names?.has('*')) return [];
    return [...text.matchAll(EXPORTED)]
      .filter(([, form, name]) => !names?.has(name!) && !(isType(form!) && occurrences(text, name!) > 1))
      .map(([, , name]) => `${file}: ${name}`);
  });
}

/** By file, the names that others import; `*` for all of them. */
function usedNames(tree: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  const add = (from: string, specifier: string, name: string): void => {
    const target = path.posix.join(path.posix.dirname(from), specifier);
    if (!used.has(target)) used.set(target, new Set());
    used.get(target)!.add(name);
  };
  for (const { file, text } of tree) {
    for (const [, names, specifier] of text.matchAll(FROM))
      for (const name of importedNames(names!)) add(file, specifier!, name);
    for (const [, specifier] of text.matchAll(DYNAMIC)) add(file, specifier!, '*');
  }
  return used;
}

function importedNames(clause: string): string[] {
  if (clause.startsWith('*')) return ['*'];
  return clause
    .slice(1, -1)
    .split(',')
    .map((item) =>
      item
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/, ''),
    )
    .filter((name) => name !== '');
}

function isType(form: string): boolean {
  return form === 'interface' || form === 'type';
}

function occurrences(text: string, name: string): number {
  return text.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
}
