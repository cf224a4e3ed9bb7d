import assert from 'node:assert/strict';
import { processState } from './process-state.ts';

describe('processState', () => {
  for (const [source, expected] of [
    ['let count = 0;', [1]],
    ['export let count = 0;', [1]],
    ['function f() {\n  let count = 0;\n}', []],
    ['// Process-wide: a process has one heap.\nlet count = 0;', []],
    ['/**\n * What there is.\n *\n * Process-wide: a process has one heap.\n */\nlet count = 0;', []],
    ['// Process-wide: a process has one loop.\nlet count = 0;\nlet isOpen = false;', []],
    ['// Process-wide: too far above.\n\nlet count = 0;', [3]],
    ["const known = new Map<string, string>();\nexport const f = () => known.get('a');", []],
    ["const known: Map<string, string> = new Map();\nknown.set('a', 'b');", [1]],
    ['const waiting: (() => void)[] = [];\nwaiting.push(f);', [1]],
    ["const other = { waiting: [] };\nother.waiting.push('a');", []],
    ['export const counts = { failed: 0 };\ncounts.failed++;', [1]],
    ['const names = {\n  a: 1,\n};\nnames[key] ??= 2;', [1]],
    ['const names = { a: 1 };\nif (names.a === 1 || names.a == 2) f();', []],
    ['const shared = new Selections();', [1]],
    ["const name = new RegExp('a');", []],
    ['class A {\n  static count = 0;\n}', [2]],
    ['class A {\n  private static last: string | undefined;\n}', [2]],
    ['class A {\n  static readonly known = new Map<string, A>();\n}', [2]],
    ['class A {\n  static readonly max = 3;\n  static open(): A {\n    return new A();\n  }\n}', []],
    ["import { policy } from './policy.ts';\npolicy.allowed = true;", [2]],
    [
      "import { type Other, policy as own } from './policy.ts';\nexport const f = () => {\n  delete own.allowed;\n};",
      [3],
    ],
    ["import { policy } from './policy.ts';\nconst x: { policy: 1 } = policy.allowed === true;", []],
    ["import type { Scale } from './scale.ts';\nconst status: Scale['status'] = { replicas };", []],
  ] as const) {
    it(`finds ${expected.length} in ${JSON.stringify(source)}`, () => assert.deepEqual(processState(source), expected));
  }
});
