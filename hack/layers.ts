import type { SourceFile } from './imports.ts';

export type ImportRules = Readonly<Record<string, readonly string[]>>;

/** Imports that the rules do not allow, and files that they do not name. */
export function layerProblems(rules: ImportRules, sources: readonly SourceFile[]): string[] {
  const problems: string[] = [];
  for (const { file, imports } of sources) {
    const layer = layerOf(rules, file);
    if (layer === undefined) {
      problems.push(`${file}: is in no layer; add its folder to hack/import-rules.ts`);
      continue;
    }
    const allowed = [layer, ...rules[layer]!];
    for (const target of imports) {
      if (!allowed.some((prefix) => isAt(prefix, target))) problems.push(`${file}: ${layer} may not import ${target}`);
    }
  }
  return problems;
}

/** Each cycle among the rules once, as `a -> b -> a`, and folders that they name and do not declare. */
export function ruleProblems(rules: ImportRules): string[] {
  const problems: string[] = [];
  const done = new Set<string>();
  const visit = (layer: string, way: readonly string[]): void => {
    if (way.includes(layer)) {
      problems.push(`cycle: ${[...way.slice(way.indexOf(layer)), layer].join(' -> ')}`);
      return;
    }
    if (done.has(layer)) return;
    if (rules[layer] === undefined) problems.push(`${layer}: is allowed to ${way.at(-1)} and has no rule of its own`);
    for (const next of rules[layer] ?? []) visit(next, [...way, layer]);
    done.add(layer);
  };
  for (const layer of Object.keys(rules)) visit(layer, []);
  return problems;
}

/** The longest path of the rules that the file is at or below. */
function layerOf(rules: ImportRules, file: string): string | undefined {
  return Object.keys(rules)
    .filter((prefix) => isAt(prefix, file))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isAt(prefix: string, file: string): boolean {
  return file === prefix || file.startsWith(`${prefix}/`);
}
