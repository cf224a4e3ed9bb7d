import assert from 'node:assert/strict';
import { loadProto } from './load-proto.ts';
import type { Field, Model } from './model.ts';
import { tinyTree, zooProto, type Tree } from './tiny-proto-testing.ts';

describe('loadProto', () => {
  let tree: Tree;
  let model: Model;
  before(() => {
    tree = tinyTree();
    model = loadProto(tree.proto);
  });
  after(() => tree.remove());
  const fieldOf = (message: string, name: string): Field =>
    model.messages.get(message)!.fields.find((f) => f.name === name)!;

  it('finds every message by its full name, and string types apart from them', () => {
    assert.deepEqual(
      [...model.messages.keys()],
      [
        'meta/v1.Time',
        'meta/v1.ObjectMeta',
        'resource.Quantity',
        'zoo/v1.Animal',
        'zoo/v1.AnimalSpec',
        'zoo/v1.Meal',
        'zoo/v1.Keeper',
        'zoo/v1.Ticket',
        'zoo/v1.Names',
        'zoo/v1.Sign',
      ],
    );
    assert.deepEqual([...model.constants], [['zoo/v1.Mood', ['Calm', 'Wild']]]);
  });

  it('reads what a message is', () => {
    const { group, version, isKind, namespaced, jsonOnly, jsonList, comment } = model.messages.get('zoo/v1.Animal')!;
    assert.deepEqual(
      { group, version, isKind, namespaced, jsonOnly, jsonList, comment },
      {
        group: 'zoo.example.com',
        version: 'v1',
        isKind: true,
        namespaced: true,
        jsonOnly: false,
        jsonList: false,
        comment: 'An animal of the zoo. Well kept.',
      },
    );
    assert.equal(model.messages.get('zoo/v1.Sign')!.jsonOnly, true);
    assert.equal(model.messages.get('zoo/v1.Names')!.jsonList, true);
    assert.deepEqual(
      [...model.messages.values()].filter((m) => m.shared).map((m) => m.name),
      ['Meal'],
    );
  });

  it('keeps the order of declaration', () =>
    assert.deepEqual(
      model.messages
        .get('zoo/v1.AnimalSpec')!
        .fields.slice(0, 3)
        .map((f) => [f.name, f.num]),
      [
        ['legs', 9],
        ['species', 1],
        ['weight', 2],
      ],
    ));

  it('reads what a field is', () => {
    const of = (name: string, message = 'zoo/v1.AnimalSpec') => {
      const { kind, card, ref, pointer, omitEmpty } = fieldOf(message, name);
      return [kind, card, ref, pointer, omitEmpty];
    };
    assert.deepEqual(of('legs'), ['int32', 'single', undefined, true, true]);
    assert.deepEqual(of('species'), ['string', 'single', undefined, false, false]);
    assert.deepEqual(of('meals'), ['message', 'list', 'zoo/v1.Meal', false, true]);
    assert.deepEqual(of('byHour'), ['message', 'map', 'zoo/v1.Meal', false, true]);
    assert.deepEqual(of('aliases'), ['stringList', 'map', 'zoo/v1.Names', false, true]);
    assert.deepEqual(of('food'), ['quantity', 'single', 'resource.Quantity', false, true]);
    assert.deepEqual(of('creationTimestamp', 'meta/v1.ObjectMeta'), ['time', 'single', 'meta/v1.Time', false, true]);
    assert.deepEqual(of('metadata', 'zoo/v1.Animal'), ['message', 'single', 'meta/v1.ObjectMeta', false, true]);
    const { patchStrategy, patchMergeKey, listType, listMapKeys } = fieldOf('zoo/v1.AnimalSpec', 'meals');
    assert.deepEqual([patchStrategy, patchMergeKey, listType, listMapKeys], ['merge', 'name', 'map', ['name', 'hour']]);
    assert.deepEqual(
      [
        fieldOf('zoo/v1.AnimalSpec', 'legs').default,
        fieldOf('zoo/v1.AnimalSpec', 'mood').enum,
        fieldOf('zoo/v1.AnimalSpec', 'is-tame').num,
      ],
      ['4', 'zoo/v1.Mood', 7],
    );
    assert.equal(model.messages.get('zoo/v1.AnimalSpec')!.fields.find((f) => f.inline)!.ref, 'zoo/v1.Keeper');
  });

  it('forgets string types without known values', () => {
    const other = tinyTree();
    other.write(
      'zoo/v1/more.proto',
      'syntax = "proto2"; package zoo.v1; message More { optional string s = 1 [(constants) = "Open"]; optional string t = 2 [(constants) = "zoo.v1.Mood"]; }',
    );
    assert.deepEqual(
      loadProto(other.proto)
        .messages.get('zoo/v1.More')!
        .fields.map((f) => f.enum),
      [undefined, 'zoo/v1.Mood'],
    );
    other.remove();
  });

  const faults: readonly (readonly [what: string, file: string, text: string, problem: RegExp])[] = [
    [
      'a message that is not there',
      'zoo/v1/bad.proto',
      'syntax = "proto2"; package zoo.v1; message Bad { optional Ghost ghost = 1; }',
      / zoo\/v1\.Bad\.ghost: no message zoo\/v1\.Ghost$/,
    ],
    [
      'a message of another package that is not there',
      'zoo/v1/bad.proto',
      'syntax = "proto2"; package zoo.v1; message Bad { repeated core.v1.Pod pods = 1; }',
      / zoo\/v1\.Bad\.pods: no message core\/v1\.Pod$/,
    ],
    ['the same message twice', 'zoo/v1/bad.proto', zooProto, /zoo\/v1\.Animal is declared twice/],
    ['no package', 'zoo/v1/bad.proto', 'syntax = "proto2"; message Bad {}', /bad\.proto: no package$/],
    ['what is no proto', 'zoo/v1/bad.proto', 'syntax = "proto2"; package zoo.v1; message {', /./],
  ];
  for (const [what, file, text, problem] of faults) {
    it(`refuses ${what}`, () => {
      const broken = tinyTree();
      broken.write(file, text);
      assert.throws(() => loadProto(broken.proto), problem);
      broken.remove();
    });
  }
});
