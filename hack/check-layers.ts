import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importRules } from './import-rules.ts';
import { isTestCode, readSources } from './imports.ts';
import { layerProblems, ruleProblems } from './layers.ts';

/** Checks that each folder imports only what `import-rules.ts` allows it. Tests may import from anywhere. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const sources = readSources(root, ['pkg', 'cmd']).filter(({ file }) => !isTestCode(file));
const problems = [...ruleProblems(importRules), ...layerProblems(importRules, sources)];
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
