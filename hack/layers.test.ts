import assert from 'node:assert/strict';
import { importRules } from './import-rules.ts';
import { importsOf } from './imports.ts';
import { layerProblems, ruleProblems } from './layers.ts';

const source = (file: string, text: string) => ({ file, text, imports: importsOf(file, text) });

describe('layers', () => {
  const rules = { 'pkg/a': [], 'pkg/b': ['pkg/a'], 'pkg/b/seam.ts': [] };

  it('allow what a folder declares, and its own files', () => {
    const files = [
      source(
        'pkg/b/x.ts',
        "import { y } from './y.ts';\nimport type { A } from '../a/a.ts';\nawait import('./z/z.ts');",
      ),
      source('pkg/b/seam.ts', "import { readFileSync } from 'node:fs';"),
    ];
    assert.deepEqual(layerProblems(rules, files), []);
  });

  it('reject everything else, types and dynamic imports too', () => {
    const files = [
      source('pkg/a/x.ts', "import type { B } from '../b/b.ts';"),
      source('pkg/a/y.ts', "await import('../b/b.ts');"),
      source('pkg/b/seam.ts', "import { x } from './x.ts';"),
      source('pkg/c/c.ts', ''),
    ];
    assert.deepEqual(layerProblems(rules, files), [
      'pkg/a/x.ts: pkg/a may not import pkg/b/b.ts',
      'pkg/a/y.ts: pkg/a may not import pkg/b/b.ts',
      'pkg/b/seam.ts: pkg/b/seam.ts may not import pkg/b/x.ts',
      'pkg/c/c.ts: is in no layer; add its folder to hack/import-rules.ts',
    ]);
  });

  it('have no cycles', () => {
    assert.deepEqual(ruleProblems({ a: ['b'], b: ['c'], c: ['a'], d: ['e'] }), [
      'cycle: a -> b -> c -> a',
      'e: is allowed to d and has no rule of its own',
    ]);
    assert.deepEqual(ruleProblems(importRules), []);
  });

  it('let controllers see objects by the client alone', () => {
    assert.deepEqual(importRules['pkg/controllers'], ['pkg/api', 'pkg/apimachinery', 'pkg/client', 'pkg/generated']);
  });
});
