import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import protobuf from 'protobufjs';
import type { GeneratedMessage } from '../../pkg/generated/kinds.ts';
import { generate } from './generate.ts';
import { tinyTree, type Tree } from './tiny-proto-testing.ts';

describe('the generator', () => {
  let tree: Tree;
  before(() => {
    tree = tinyTree();
    generate(tree.proto, tree.out);
  });
  after(() => tree.remove());
  const text = (file: string) => readFileSync(path.join(tree.out, file), 'utf8');
  const load = async <T>(file: string) => (await import(pathToFileURL(path.join(tree.out, file)).href)) as T;

  it('writes interfaces of the JSON shapes', () => {
    const types = text('types/zoo-v1.ts');
    assert.match(types, /^import type \* as meta_v1 from '\.\/meta-v1\.ts';$/m);
    const animal = /export interface Animal \{\n(.*?)\n\}/s
      .exec(types)![1]!
      .split('\n')
      .filter((line) => !line.includes('/**'))
      .map((line) => line.trim());
    assert.deepEqual(animal, [
      'kind?: string;',
      'apiVersion?: string;',
      'metadata: meta_v1.ObjectMeta;',
      'spec: AnimalSpec;',
    ]);
    const spec = /export interface AnimalSpec \{\n(.*?)\n\}/s
      .exec(types)![1]!
      .split('\n')
      .filter((line) => !line.includes('/**'))
      .map((line) => line.trim());
    assert.deepEqual(spec, [
      'legs?: number;',
      'species: string;',
      'weight?: number;',
      'meals?: Meal[];',
      'byHour?: Record<string, Meal>;',
      'aliases?: Record<string, string[]>;',
      'ages?: number[];',
      '"is-tame": boolean;',
      'keeperName?: string;',
      'onDuty: boolean;',
      'mood?: string;',
      'food: string;',
      'parent?: AnimalSpec;',
      'toys: string[] | null;',
      'picture?: string;',
      'tricks: string[] | null;',
    ]);
    assert.match(types, /^\/\*\* An animal of the zoo\. Well kept\. \*\/$/m);
    assert.match(types, /Standard metadata \* \/ with an end of comment\./);
    assert.match(types, /^export const MoodValues: readonly string\[\] = \["Calm","Wild"\];$/m);
    assert.doesNotMatch(types, /interface (Names|Mood)/);
    assert.match(text('types/meta-v1.ts'), /creationTimestamp\?: string;/);
  });

  it('writes field tables, inline structs hoisted', async () => {
    type SchemaRows = Record<string, unknown[][]>;
    const { parseSchemaRows, constants } = await load<{ parseSchemaRows: () => SchemaRows; constants: object }>(
      'schema-rows.ts',
    );
    const schemaRows = parseSchemaRows();
    assert.deepEqual(Object.keys(schemaRows), [
      'meta/v1.ObjectMeta',
      'zoo/v1.Animal',
      'zoo/v1.AnimalSpec',
      'zoo/v1.Meal',
      'zoo/v1.Keeper',
      'zoo/v1.Ticket',
      'zoo/v1.Sign',
    ]);
    assert.deepEqual(schemaRows['zoo/v1.Animal'], [
      ['kind', 'string', 'single', 2],
      ['apiVersion', 'string', 'single', 2],
      ['metadata', 'message', 'single', 2, 'meta/v1.ObjectMeta'],
      ['spec', 'message', 'single', 4, 'zoo/v1.AnimalSpec'],
    ]);
    const spec = new Map(schemaRows['zoo/v1.AnimalSpec']!.map((row) => [row[0], row]));
    assert.deepEqual([...spec.keys()].slice(7, 10), ['is-tame', 'keeperName', 'onDuty']);
    assert.deepEqual(spec.get('legs'), ['legs', 'int32', 'single', 3, 0, { default: '4' }]);
    assert.deepEqual(spec.get('meals'), [
      'meals',
      'message',
      'list',
      2,
      'zoo/v1.Meal',
      { patchStrategy: 'merge', patchMergeKey: 'name', listType: 'map', listMapKeys: ['name', 'hour'] },
    ]);
    assert.deepEqual(spec.get('mood'), ['mood', 'string', 'single', 2, 0, { enum: 'zoo/v1.Mood' }]);
    assert.deepEqual(constants, { 'zoo/v1.Mood': ['Calm', 'Wild'] });
    assert.equal(
      (JSON.parse(text('descriptions.json')) as Record<string, Record<string, string>>)['meta/v1.ObjectMeta']![
        'creationTimestamp'
      ],
      'When it was made.',
    );
  });

  it('lists kinds with their codecs', async () => {
    const { generatedMessages } = await load<{ generatedMessages: GeneratedMessage[] }>('kinds.ts');
    const shown = generatedMessages.map((m) => [
      m.message,
      m.group,
      m.version,
      m.isKind,
      m.namespaced,
      m.read !== undefined && m.write !== undefined,
    ]);
    assert.deepEqual(shown, [
      ['meta/v1.ObjectMeta', '', '', false, false, true],
      ['zoo/v1.Animal', 'zoo.example.com', 'v1', true, true, true],
      ['zoo/v1.Sign', 'zoo.example.com', 'v1', true, false, false],
    ]);
  });

  describe('makes codecs', () => {
    let animal: GeneratedMessage;
    before(async () => {
      animal = (await load<{ generatedMessages: GeneratedMessage[] }>('kinds.ts')).generatedMessages[1]!;
    });
    const encode = (object: object): Uint8Array => {
      const w = protobuf.Writer.create();
      animal.write!(object, w);
      return w.finish();
    };
    const decode = (bytes: Uint8Array): object => {
      const r = protobuf.Reader.create(bytes);
      return animal.read!(r, r.len) as object;
    };

    const full = {
      metadata: { name: 'a', creationTimestamp: '2024-01-02T03:04:05Z', labels: { ['__proto__']: 'x', a: 'b' } },
      spec: {
        legs: 0,
        species: 'cat',
        weight: 9007199254740993n,
        meals: [{ name: 'm', hour: 8 }, { name: '' }],
        byHour: { '8': { name: 'x' } },
        aliases: { k: ['', 'b'] },
        ages: [1, -1, 0],
        'is-tame': true,
        keeperName: 'k',
        onDuty: true,
        mood: 'Wild',
        food: '1Gi',
        toys: ['t'],
        picture: 'AAEC',
        tricks: [],
        parent: { species: '', 'is-tame': false, onDuty: false, food: '0', toys: null, tricks: null },
      },
    };
    const empty = {
      metadata: {},
      spec: { species: '', 'is-tame': false, onDuty: false, food: '0', toys: null, tricks: null },
    };

    it('that bring an object to the wire and back', () =>
      assert.deepEqual([decode(encode(full)), decode(encode(empty))], [full, empty]));

    it('that read an empty message as the zero value', () => assert.deepEqual(decode(new Uint8Array(0)), empty));

    it('that write values in the order of their numbers, zero or not, and pointers when they are there', () => {
      const tags = (message: object): number[] => {
        const outer = protobuf.Reader.create(encode({ metadata: {}, spec: message }));
        const found: number[] = [];
        while (outer.pos < outer.len) {
          if (outer.uint32() !== 18) {
            outer.skipType(2);
            continue;
          }
          const r = protobuf.Reader.create(outer.bytes());
          while (r.pos < r.len) {
            const tag = r.uint32();
            found.push(tag >>> 3);
            r.skipType(tag & 7);
          }
        }
        return found;
      };
      assert.deepEqual(tags({}), [1, 2, 7, 8, 10, 11]);
      assert.deepEqual(tags({ legs: 0, picture: '', ages: [5, 6], parent: {} }), [1, 2, 6, 6, 7, 8, 9, 10, 11, 12, 14]);
    });

    it('that agree with another implementation of protobuf', () => {
      const type = protobuf
        .parse(
          'syntax = "proto2"; message Animal { optional Meta metadata = 1; optional Spec spec = 2; } message Meta { optional string name = 1; } message Spec { optional string species = 1; repeated int32 ages = 6 [packed = true]; optional int32 legs = 9; optional string unknown = 99; }',
          { keepCase: true },
        )
        .root.lookupType('Animal');
      const bytes = type
        .encode({ metadata: { name: 'a' }, spec: { species: 'cat', ages: [3, 300], legs: 4, unknown: 'u' } })
        .finish();
      assert.deepEqual(decode(bytes), {
        metadata: { name: 'a' },
        spec: { ...empty.spec, species: 'cat', ages: [3, 300], legs: 4 },
      });
      assert.deepEqual(type.decode(encode(decode(bytes))).toJSON(), {
        metadata: { name: 'a' },
        spec: { species: 'cat', ages: [3, 300], legs: 4 },
      });
    });
  });

  it('leaves files that did not change, and removes those of types that are gone', () => {
    const kept = path.join(tree.out, 'types/meta-v1.ts');
    const long = new Date('2001-01-01');
    utimesSync(kept, long, long);
    tree.write('farm/v1/types.proto', 'syntax = "proto2"; package farm.v1; message Cow { optional string name = 1; }');
    generate(tree.proto, tree.out);
    assert.ok(existsSync(path.join(tree.out, 'codecs/farm-v1.ts')));
    rmSync(path.join(tree.proto, 'farm'), { recursive: true });
    generate(tree.proto, tree.out);
    assert.equal(
      existsSync(path.join(tree.out, 'codecs/farm-v1.ts')) || existsSync(path.join(tree.out, 'types/farm-v1.ts')),
      false,
    );
    assert.equal(statSync(kept).mtimeMs, long.getTime());
  });
});
