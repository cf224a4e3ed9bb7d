import assert from 'node:assert/strict';
import { importsOf } from './imports.ts';
import { unusedExports } from './unused-exports.ts';

const source = (file: string, text: string) => ({ file, text, imports: importsOf(file, text) });

describe('unusedExports', () => {
  const a = source(
    'pkg/a/a.ts',
    `export const one = 1;
export async function two(options: Options): Promise<void> {}
export interface Options {}
export type Nowhere = string;
export class Three {}
const four = 4;
`,
  );

  for (const [text, expected] of [
    ['', ['one', 'two', 'Nowhere', 'Three']],
    ["import { one, type Nowhere, two as zwei } from '../a/a.ts';", ['Three']],
    ["import {\n  one,\n  Three,\n} from '../a/a.ts';", ['two', 'Nowhere']],
    ["import * as all from '../a/a.ts';", []],
    ["const all = await import('../a/a.ts');", []],
    ["export { one } from '../a/a.ts';", ['two', 'Nowhere', 'Three']],
    ["import { one } from '../other/a.ts';", ['one', 'two', 'Nowhere', 'Three']],
  ] as const) {
    it(`finds ${expected.length} beside ${JSON.stringify(text)}`, () =>
      assert.deepEqual(
        unusedExports([a], [a, source('pkg/b/b.ts', text)]),
        expected.map((name) => `pkg/a/a.ts: ${name}`),
      ));
  }
});
