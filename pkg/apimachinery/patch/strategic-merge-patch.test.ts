import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FieldSchema, MessageSchema } from '../schema.ts';
import { PatchError } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

function message(name: string, fields: Partial<FieldSchema>[]): MessageSchema {
  const full = fields.map((field): FieldSchema => ({ name: '', kind: 'string', card: 'single', ...field }));
  return { name: `test/v1.${name}`, fields: full, field: (key) => full.find((field) => field.name === key) };
}

const PORT = message('ContainerPort', [{ name: 'containerPort', kind: 'int32' }, { name: 'protocol' }]);
const ENV = message('EnvVar', [{ name: 'name' }, { name: 'value' }]);
const CONTAINER = message('Container', [
  { name: 'name' },
  { name: 'image' },
  { name: 'command', card: 'list' },
  { name: 'env', card: 'list', kind: 'message', message: ENV, patchStrategy: 'merge', patchMergeKey: 'name' },
  {
    name: 'ports',
    card: 'list',
    kind: 'message',
    message: PORT,
    patchStrategy: 'merge',
    patchMergeKey: 'containerPort',
  },
]);
const STRATEGY = message('Strategy', [
  { name: 'type' },
  { name: 'rollingUpdate', kind: 'message', message: message('RollingUpdate', [{ name: 'maxSurge' }]) },
]);
const META = message('ObjectMeta', [
  { name: 'name' },
  { name: 'labels', card: 'map' },
  { name: 'finalizers', card: 'list', patchStrategy: 'merge' },
]);
const POD = message('Pod', [
  { name: 'metadata', kind: 'message', message: META },
  {
    name: 'containers',
    card: 'list',
    kind: 'message',
    message: CONTAINER,
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  },
  { name: 'items', card: 'list', kind: 'message', message: ENV, patchStrategy: 'merge' },
  { name: 'tolerations', card: 'list', kind: 'message', message: ENV },
  { name: 'strategy', kind: 'message', message: STRATEGY, patchStrategy: 'retainKeys' },
  { name: 'whole', kind: 'message', message: STRATEGY, patchStrategy: 'replace' },
  { name: 'byName', kind: 'message', card: 'map', message: CONTAINER },
  { name: 'data', kind: 'raw' },
  { name: 'count', kind: 'int32' },
]);

const apply = (original: unknown, patch: unknown): unknown => applyStrategicMergePatch(original, patch, POD);
const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

function fault(original: unknown, patch: unknown): [string, string] {
  try {
    apply(original, patch);
  } catch (error) {
    assert.ok(error instanceof PatchError);
    return [error.kind, error.message];
  }
  return assert.fail('the patch applied');
}

describe('strategic merge patch', () => {
  const cases: [string, unknown, unknown, unknown][] = [
    [
      'merges objects and maps',
      { metadata: { name: 'a', labels: { x: '1', y: '2' } } },
      { metadata: { labels: { x: null, z: '3' } } },
      { metadata: { name: 'a', labels: { y: '2', z: '3' } } },
    ],
    [
      'merges list items by key, patch items first',
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '1' },
        ],
      },
      {
        containers: [
          { name: 'c', image: '3' },
          { name: 'b', image: '2' },
        ],
      },
      {
        containers: [
          { name: 'c', image: '3' },
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
        ],
      },
    ],
    [
      'merges nested lists',
      { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
    ],
    [
      'merges by a number',
      { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'UDP' }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'UDP' }] }] },
    ],
    [
      'replaces lists without a strategy',
      { tolerations: named('a') },
      { tolerations: named('b') },
      { tolerations: named('b') },
    ],
    [
      'merges sets of scalars',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c', 'b'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } },
    ],
    [
      'takes whole what is new, without nulls',
      {},
      { strategy: { type: 'x', rollingUpdate: null }, containers: [{ name: 'a', image: null }] },
      { strategy: { type: 'x' }, containers: [{ name: 'a' }] },
    ],
    ['replaces on a type change', { strategy: { type: 'x' } }, { strategy: 'y' }, { strategy: 'y' }],
    ['deletes a member', { count: 1, strategy: {} }, { strategy: null, nothing: null }, { count: 1 }],
    [
      '$patch: replace on an object',
      { strategy: { type: 'x', rollingUpdate: {} } },
      { strategy: { $patch: 'replace', type: 'y' } },
      { strategy: { type: 'y' } },
    ],
    ['$patch: delete on an object', { strategy: { type: 'x' } }, { strategy: { $patch: 'delete' } }, { strategy: {} }],
    [
      '$patch: delete on a list item',
      { containers: named('a', 'b') },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    [
      '$patch: replace on a list',
      { containers: named('a', 'b') },
      { containers: [{ $patch: 'replace' }, { name: 'c' }] },
      { containers: named('c') },
    ],
    [
      '$patch: replace of the whole',
      { count: 1 },
      { $patch: 'replace', metadata: { name: 'a' } },
      { metadata: { name: 'a' } },
    ],
    [
      '$retainKeys',
      { strategy: { type: 'x', rollingUpdate: { maxSurge: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'y' } },
      { strategy: { type: 'y' } },
    ],
    [
      '$retainKeys keeps what it names',
      { strategy: { type: 'x', rollingUpdate: {} } },
      { strategy: { $retainKeys: ['type', 'rollingUpdate'], type: 'y' } },
      { strategy: { type: 'y', rollingUpdate: {} } },
    ],
    [
      '$deleteFromPrimitiveList',
      { metadata: { finalizers: ['a', 'b', 'a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'z'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      '$deleteFromPrimitiveList on any list',
      { containers: [{ name: 'a', command: ['x', 'y'] }] },
      { containers: [{ name: 'a', '$deleteFromPrimitiveList/command': ['x'] }] },
      { containers: [{ name: 'a', command: ['y'] }] },
    ],
    ['$deleteFromPrimitiveList on nothing', {}, { '$deleteFromPrimitiveList/containers': ['x'] }, {}],
    [
      '$setElementOrder alone',
      { containers: named('a', 'b', 'c') },
      { '$setElementOrder/containers': named('c', 'a') },
      { containers: named('b', 'c', 'a') },
    ],
    [
      '$setElementOrder with items',
      { containers: named('a', 'b', 's') },
      { '$setElementOrder/containers': named('n', 'b', 'a'), containers: [{ name: 'n' }, { name: 'b', image: '2' }] },
      { containers: [{ name: 'n' }, { name: 'b', image: '2' }, { name: 'a' }, { name: 's' }] },
    ],
    [
      '$setElementOrder with a deletion',
      { containers: named('a', 'b') },
      { '$setElementOrder/containers': named('b'), containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    [
      '$setElementOrder of scalars',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$setElementOrder/finalizers': ['c', 'b'], finalizers: ['c'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } },
    ],
    [
      '$setElementOrder of a new list',
      {},
      { '$setElementOrder/containers': named('b', 'a'), containers: named('b', 'a') },
      { containers: named('b', 'a') },
    ],
    ['$setElementOrder of nothing', {}, { '$setElementOrder/containers': named('b') }, {}],
    [
      'drops directives from what is new',
      {},
      {
        metadata: { '$setElementOrder/finalizers': ['a'], finalizers: ['a'] },
        strategy: { $retainKeys: ['type'], type: 'x' },
        containers: [
          { name: 'a', $patch: 'delete' },
          { $patch: 'replace' },
          { name: 'b', env: [{ name: 'X', $patch: 'delete' }] },
        ],
      },
      { metadata: { finalizers: ['a'] }, strategy: { type: 'x' }, containers: [{ name: 'b', env: [] }] },
    ],
    [
      'replaces by strategy',
      { whole: { type: 'x', rollingUpdate: {} } },
      { whole: { type: 'y' } },
      { whole: { type: 'y' } },
    ],
    [
      'merges the values of maps',
      { byName: { k: { name: 'a', env: [{ name: 'X' }] } } },
      { byName: { k: { env: [{ name: 'Y' }] } } },
      { byName: { k: { name: 'a', env: [{ name: 'Y' }, { name: 'X' }] } } },
    ],
    ['starts from nothing', undefined, { count: 1 }, { count: 1 }],
    ['keeps fields that no schema has', {}, { bogus: { a: 1 } }, { bogus: { a: 1 } }],
    [
      'merges the same key twice',
      { containers: [] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'a', image: '2' },
        ],
      },
      { containers: [{ name: 'a', image: '2' }] },
    ],
  ];
  for (const [name, original, patch, expected] of cases) {
    it(name, () => {
      const before = JSON.stringify([original, patch]);
      assert.deepEqual(apply(original, patch), expected);
      assert.equal(JSON.stringify([original, patch]), before);
    });
  }

  const faults: [unknown, unknown, [string, string]][] = [
    [
      {},
      'x',
      [
        'malformed',
        'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
      ],
    ],
    [
      { strategy: {} },
      { strategy: { $patch: 'merge' } },
      ['inconsistent', 'unknown patch type: merge in map: map[$patch:merge]'],
    ],
    [
      { containers: named('a') },
      { containers: [{ name: 'a', $patch: 'frob' }] },
      ['inconsistent', 'unknown patch type: frob in map: map[$patch:frob name:a]'],
    ],
    [
      { containers: named('a') },
      { containers: [{ image: 'x' }] },
      ['inconsistent', 'map: map[image:x] does not contain declared merge key: name'],
    ],
    [
      { containers: named('a') },
      { containers: ['x'] },
      ['inconsistent', 'list element types are not identical: [map[name:a] x]'],
    ],
    [
      { containers: [] },
      { containers: ['x'] },
      ['inconsistent', 'expected a map[string]interface {}, but received a string'],
    ],
    [{ items: named('a') }, { items: named('b') }, ['inconsistent', 'cannot merge lists without merge key for EnvVar']],
    [{ containers: [[1]] }, { containers: [[2]] }, ['rejected', 'lists of lists are not supported']],
    [{ strategy: {} }, { strategy: { $retainKeys: 'type' } }, ['malformed', 'invalid patch format of retainKeys']],
    [
      { strategy: {} },
      { strategy: { $retainKeys: ['type'], rollingUpdate: {} } },
      ['malformed', 'invalid patch format of retainKeys'],
    ],
    [{}, { '$setElementOrder/containers': 'x' }, ['inconsistent', 'expected a []interface {}, but received a string']],
    [{}, { $setElementOrder: [] }, ['malformed', 'invalid patch format of setElementOrder list']],
    [{}, { $deleteFromPrimitiveList: [] }, ['malformed', 'invalid patch format of primitive list']],
    [
      { containers: named('a', 'b') },
      { '$setElementOrder/containers': named('a', 'b'), containers: named('b', 'a') },
      [
        'inconsistent',
        "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
      ],
    ],
    [
      { bogus: {} },
      { bogus: {} },
      ['inconsistent', 'unable to find api field in struct Pod for the json field "bogus"'],
    ],
    [
      { data: { a: {} } },
      { data: { a: {} } },
      ['inconsistent', 'unable to find api field in struct RawExtension for the json field "a"'],
    ],
  ];
  for (const [original, patch, expected] of faults) {
    it(`refuses ${JSON.stringify(patch)}`, () => assert.deepEqual(fault(original, patch), expected));
  }

  it('answers as a stock server does', () => {
    assert.equal(new PatchError('inconsistent', 'x').toStatusError().code, 500);
    assert.equal(new PatchError('malformed', 'x').toStatusError().code, 400);
  });

  it('bounds the depth', () => {
    const names = message('Deep', []);
    const schema: MessageSchema = {
      ...names,
      field: (name) => ({ name, kind: 'message', card: 'single', message: schema }),
    };
    let deep: unknown = {};
    for (let i = 0; i < 5000; i++) deep = { a: deep };
    assert.throws(() => applyStrategicMergePatch(deep, deep, schema), /nests deeper/);
  });

  it('keeps __proto__ an ordinary key', () => {
    const result = apply({ metadata: { labels: {} } }, JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}')) as {
      metadata: { labels: object };
    };
    assert.deepEqual(Object.keys(result.metadata.labels), ['__proto__']);
  });

  const plain = { noNullPrototype: true } as const;
  const container = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), image: fc.constantFrom('1', '2') }, plain);
  const containers = fc.uniqueArray(container, { selector: (c) => c.name });
  const finalizers = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'));
  const object = fc.record(
    {
      containers,
      metadata: fc.record({ finalizers, labels: fc.dictionary(fc.constantFrom('p', 'q'), fc.string(), plain) }, plain),
    },
    plain,
  );

  it('obeys its laws: empty changes nothing, applying twice is applying once, all of the patch is in the result', () => {
    fc.assert(
      fc.property(object, object, (original, patch) => {
        assert.deepEqual(apply(original, {}), original);
        const once = apply(original, patch) as typeof original;
        assert.deepEqual(apply(once, patch), once);
        const wanted = new Map([...original.containers, ...patch.containers].map((c) => [c.name, c.image]));
        assert.deepEqual(new Map(once.containers.map((c) => [c.name, c.image])), wanted);
        const fromPatch = new Set(patch.containers.map((c) => c.name));
        assert.deepEqual(
          once.containers.map((c) => c.name).filter((n) => fromPatch.has(n)),
          patch.containers.map((c) => c.name),
        );
        assert.deepEqual(
          once.containers.map((c) => c.name).filter((n) => !fromPatch.has(n)),
          original.containers.map((c) => c.name).filter((n) => !fromPatch.has(n)),
        );
      }),
    );
  });

  it('orders any list as $setElementOrder says', () => {
    fc.assert(
      fc.property(containers, fc.shuffledSubarray<string>(['a', 'b', 'c', 'd']), (original, wanted) => {
        const result = apply(
          { containers: original },
          { '$setElementOrder/containers': wanted.map((name) => ({ name })) },
        ) as { containers: { name: string }[] };
        const has = new Set<string>(original.map((c) => c.name));
        assert.deepEqual(
          result.containers.map((c) => c.name).filter((n) => wanted.includes(n)),
          wanted.filter((n) => has.has(n)),
        );
        assert.equal(result.containers.length, original.length);
      }),
    );
  });
});
