import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Checks that imports point downward: a file may import from its own layer and from those below it. The longest
 * matching path decides a file's layer. Tests may import from anywhere.
 */
const layers: readonly (readonly string[])[] = [
  ['pkg/apimachinery'],
  ['pkg/codec', 'pkg/generated'],
  ['pkg/api', 'pkg/storage', 'pkg/options'],
  // The seam of admission plugins; the plugins themselves look at stored objects and stand above the registry.
  ['pkg/admission/admission.ts'],
  ['pkg/registry', 'pkg/client'],
  ['pkg/authentication', 'pkg/authorization', 'pkg/audit'],
  ['pkg/admission'],
  ['pkg/server', 'pkg/workers', 'pkg/controllers', 'pkg/telemetry'],
  ['pkg/controlplane'],
  ['cmd'],
];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const importPattern = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function levelOf(file: string): number {
  let best = -1;
  let length = 0;
  for (const [level, paths] of layers.entries()) {
    for (const prefix of paths) {
      if ((file === prefix || file.startsWith(`${prefix}/`)) && prefix.length > length) {
        best = level;
        length = prefix.length;
      }
    }
  }
  return best;
}

function sources(dir: string): string[] {
  return readdirSync(path.join(root, dir), { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.ts') && !isTestCode(f))
    .map((f) => path.join(dir, f));
}

function isTestCode(file: string): boolean {
  return /\.test\.ts$|testing\.ts$|store-contract\.ts$|store-model\.ts$|event-collector\.ts$/.test(file);
}

const problems: string[] = [];
for (const file of [...sources('pkg'), ...sources('cmd')]) {
  const level = levelOf(file);
  if (level < 0) problems.push(`${file}: stands in no layer; add its folder to hack/check-layers.ts`);
  for (const [, specifier] of readFileSync(path.join(root, file), 'utf8').matchAll(importPattern)) {
    const target = path.normalize(path.join(path.dirname(file), specifier!));
    if (levelOf(target) > level) problems.push(`${file}: imports ${target} from a higher layer`);
  }
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
