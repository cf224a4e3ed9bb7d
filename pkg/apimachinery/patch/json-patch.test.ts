import assert from 'node:assert/strict';
import { applyJsonPatch, jsonPatchStrictErrors } from './json-patch.ts';
import { PatchError } from './patch-error.ts';

function fault(doc: unknown, operations: unknown): PatchError {
  try {
    applyJsonPatch(doc, operations);
  } catch (error) {
    assert.ok(error instanceof PatchError);
    return error;
  }
  return assert.fail('the patch applied');
}

describe('JSON patch', () => {
  const cases: [string, unknown, unknown[], unknown][] = [
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['inserts into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [
      'counts from the end',
      { a: [1, 2] },
      [
        { op: 'remove', path: '/a/-1' },
        { op: 'add', path: '/a/-1', value: 9 },
      ],
      { a: [1, 9] },
    ],
    ['removes', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    [
      'replaces, also what is not there',
      { a: 1 },
      [
        { op: 'replace', path: '/a', value: null },
        { op: 'replace', path: '/b', value: 2 },
      ],
      { a: null, b: 2 },
    ],
    ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['moves', { a: { x: 1 }, b: {} }, [{ op: 'move', from: '/a/x', path: '/b/y' }], { a: {}, b: { y: 1 } }],
    [
      'copies',
      { a: { x: [1] } },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/x/-', value: 2 },
      ],
      { a: { x: [1] }, b: { x: [1, 2] } },
    ],
    [
      'tests',
      { a: { x: 1, y: [2] } },
      [
        { op: 'test', path: '/a', value: { y: [2], x: 1 } },
        { op: 'test', path: '/z', value: null },
      ],
      { a: { x: 1, y: [2] } },
    ],
    [
      'reads escapes',
      { 'a/b': { 'm~n': 1 } },
      [{ op: 'replace', path: '/a~1b/m~0n', value: 2 }],
      { 'a/b': { 'm~n': 2 } },
    ],
    ['reads the empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    ['adds null without a value', {}, [{ op: 'add', path: '/a' }], { a: null }],
    [
      'changes what it has added, moved and copied, each alone',
      { a: { x: { n: 1 } }, l: [{ k: 1 }] },
      [
        { op: 'add', path: '/b', value: { y: {} } },
        { op: 'add', path: '/b/y/z', value: 1 },
        { op: 'move', from: '/a', path: '/c' },
        { op: 'add', path: '/c/x/m', value: 2 },
        { op: 'copy', from: '/c', path: '/d' },
        { op: 'replace', path: '/c/x/n', value: 9 },
        { op: 'replace', path: '/l/0/k', value: 2 },
      ],
      { b: { y: { z: 1 } }, c: { x: { n: 9, m: 2 } }, d: { x: { n: 1, m: 2 } }, l: [{ k: 2 }] },
    ],
    ['does nothing for nothing', { a: 1 }, [], { a: 1 }],
  ];
  for (const [name, doc, operations, expected] of cases) {
    it(name, () => {
      const before = JSON.stringify([doc, operations]);
      assert.deepEqual(applyJsonPatch(doc, operations), expected);
      assert.equal(JSON.stringify([doc, operations]), before);
    });
  }

  const rejections: [string, unknown, unknown][] = [
    ['a failed test', { a: 1 }, { op: 'test', path: '/a', value: 2 }],
    ['a missing member', {}, { op: 'remove', path: '/a' }],
    ['a missing parent', {}, { op: 'add', path: '/a/b', value: 1 }],
    ['a parent that is a scalar', { a: 'x' }, { op: 'add', path: '/a/b', value: 1 }],
    ['an index out of range', { a: [] }, { op: 'add', path: '/a/1', value: 1 }],
    ['an index before the start', { a: [1] }, { op: 'remove', path: '/a/-2' }],
    ['an index that is none', { a: [1] }, { op: 'replace', path: '/a/x', value: 1 }],
    ['an append where nothing may be read', { a: [1] }, { op: 'test', path: '/a/-', value: 1 }],
    ['a path without a slash', { a: 1 }, { op: 'remove', path: 'a' }],
    ['an unknown operation', {}, { op: 'frob', path: '/a' }],
    ['no path', {}, { op: 'add', value: 1 }],
    ['a move into itself', { a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }],
    ['a member of Object', {}, { op: 'test', path: '/constructor/name', value: 'Object' }],
    ['nothing in it', {}, null],
  ];
  for (const [name, doc, operation] of rejections) {
    it(`rejects ${name}`, () => {
      const error = fault(doc, [operation]);
      assert.equal(error.kind, 'rejected');
      const { status } = error.toStatusError();
      assert.deepEqual(
        [status.code, status.reason, status.message, status.details],
        [422, 'Invalid', 'the server rejected our request due to an error in our request', {}],
      );
    });
  }

  const malformed: [unknown, string][] = [
    [{ op: 'add' }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ];
  for (const [operations, message] of malformed) {
    it(`refuses ${JSON.stringify(operations)}`, () => {
      const error = fault({}, operations);
      assert.deepEqual([error.kind, error.message, error.toStatusError().code], ['malformed', message, 400]);
    });
  }

  it('bounds the number of operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: null }));
    const error = fault({}, operations);
    assert.equal(
      error.toStatusError().message,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    assert.deepEqual(applyJsonPatch({}, operations.slice(1)), {});
  });

  it('bounds what copies add', () => {
    const operations = [
      { op: 'add', path: '/a', value: ['x'.repeat(100_000)] },
      ...Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
    ];
    assert.match(fault({}, operations).message, /exceeding the limit 3145728/);
  });

  it('keeps __proto__ an ordinary key', () => {
    const result = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value: { x: 1 } },
      { op: 'test', path: '/__proto__/x', value: 1 },
    ]) as object;
    assert.deepEqual(Object.keys(result), ['__proto__']);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(fault({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]).kind, 'rejected');
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });

  it('names unknown members for strict validation', () => {
    assert.deepEqual(jsonPatchStrictErrors([{ op: 'add', paht: 1 }, null]), ['unknown field "[0].paht"']);
    assert.deepEqual(jsonPatchStrictErrors({}), []);
  });
});
