import assert from 'node:assert/strict';
import { swallowedErrors } from './swallowed-errors.ts';

describe('swallowedErrors', () => {
  for (const [source, expected] of [
    ['try {\n  f();\n} catch {}', [3]],
    ['try {\n  f();\n} catch {\n  return undefined;\n}', [3]],
    ['try {\n  f();\n} catch {\n  // Not there yet.\n}', []],
    ['try {\n  f();\n} catch {\n  throw new Error("malformed");\n}', []],
    ['try {\n  f();\n} catch {\n  if (a) { b(); }\n  onError(c);\n}', []],
    ['try {\n  f();\n} catch {\n  return 1;\n}\n// A comment behind the block.', [3]],
    ['try {\n  f();\n} catch (error) {\n  g(error);\n}', []],
    ['\nf().catch(() => undefined);', [2]],
    ['\n// Closing adds nothing.\nf().catch(() => undefined);', []],
    ['// Far away.\n\nf().catch(() => undefined);', [3]],
  ] as const) {
    it(`finds ${expected.length} in ${JSON.stringify(source)}`, () =>
      assert.deepEqual(swallowedErrors(source), expected));
  }
});
