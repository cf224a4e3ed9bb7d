import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allResources } from '../../api/all-resources.ts';
import { fromHub, Scheme, type VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { normalize } from '../../codec/normalize.ts';
import { encodeMessage, encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { arbitraryObject } from '../../codec/random-object-testing.ts';
import { StoredItems, type StoredObject, type StoredUse } from '../../codec/stored/stored-item.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { podJson } from '../../../test/bench/workload/pod.ts';

const scheme = new Scheme(allResources);
const REVISION = 1234567;

/** Every version of every kind that is stored in protobuf. */
const targets = allResources
  .filter(({ virtual, storageEncoding }) => virtual !== true && storageEncoding !== 'json')
  .flatMap((definition) => definition.versions.map(({ groupVersion }) => scheme.at(definition, groupVersion)!))
  .filter(({ message }) => message.write !== undefined);
const podTarget = scheme.forKind('v1', 'Pod')!;

/**
 * Compares with what lists send for a stored value when they decode it; returns what the stored bytes were good for
 * without.
 */
function useOf(target: VersionedResource, value: Uint8Array): StoredUse {
  const items = StoredItems.of(target);
  const stored: StoredObject = { value, revision: REVISION, storedUse: 'unknown' };
  if (items?.serve(stored, 'protobuf') !== true) return 'none';
  const object = fromHub(target, new StorageCodec(scheme, target.definition).decode(value, REVISION));
  const message = Buffer.from(items.protobuf(stored));
  assert.equal(message.toString('hex'), Buffer.from(encodeMessage(target.message, object)).toString('hex'));
  assert.equal(items.protobufLength(stored), message.length);
  if (!items.serve(stored, 'json')) return 'protobuf';
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  assert.equal(Buffer.from(items.json(stored)).toString(), stringifyEscaped(rest));
  return 'protobuf-and-json';
}

const compare = (target: VersionedResource, value: Uint8Array): boolean => useOf(target, value) !== 'none';

function store(target: VersionedResource, object: object): Uint8Array {
  const metadata = { name: 'x', ...(object as Partial<ApiObject>).metadata, resourceVersion: undefined };
  return encodeProtobuf(target.message, target.groupVersion, target.kind, { ...object, metadata });
}

/** Removes some keys, whatever is in them. */
function without(value: unknown, isKept: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, isKept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key === 'metadata' || isKept())
      .map(([key, item]) => [key, without(item, isKept)]),
  );
}

const podObject = (index: number): ApiObject => {
  const object = normalize<ApiObject>(JSON.parse(podJson(index, 'x')), podTarget.schema);
  podTarget.version.setDefaults!(object);
  Object.assign(object.metadata, { uid: 'u', creationTimestamp: '2026-01-02T03:04:05Z', generation: 1 });
  return object;
};

describe('Items made from stored bytes', function () {
  this.timeout(60_000);

  it('are those of the object, for random objects of each version of each kind', () => {
    const seen = new Set<string>();
    const asJson = new Set<string>();
    for (const target of targets) {
      const name = `${target.groupVersion} ${target.kind}`;
      fc.assert(
        fc.property(arbitraryObject(target.schema), fc.boolean(), (random, defaulted) => {
          const object = normalize<ApiObject>(random, target.schema);
          if (defaulted) target.version.setDefaults?.(object);
          const use = useOf(target, store(target, object));
          if (use !== 'none') seen.add(name);
          if (use === 'protobuf-and-json') asJson.add(name);
        }),
        { numRuns: 25 },
      );
    }
    const simple = targets.filter(
      ({ version }) =>
        version.setDefaults === undefined && version.toHub === undefined && version.fromHub === undefined,
    );
    assert.ok(simple.length > 20, `${simple.length} kinds`);
    for (const { groupVersion, kind } of simple) {
      assert.ok(seen.has(`${groupVersion} ${kind}`), `${groupVersion} ${kind} is always decoded`);
      assert.ok(asJson.has(`${groupVersion} ${kind}`), `${groupVersion} ${kind} is always decoded for JSON`);
    }
  });

  it('are made without decoding for pods as they are stored', () => {
    for (let index = 0; index < 20; index++)
      assert.equal(useOf(podTarget, store(podTarget, podObject(index))), 'protobuf-and-json');
  });

  it('have the defaults that a stored pod lacks', () => {
    let made = 0;
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 60 }), (index, rarely) => {
        let state = index;
        // Some one in `rarely` keys is left out.
        const isKept = (): boolean => {
          state = (Math.imul(state, 1103515245) + 12345) >>> 0;
          return rarely === 0 || (state >>> 8) % (rarely * 4) !== 0;
        };
        const object = normalize<ApiObject>(without(podObject(index % 50), isKept), podTarget.schema);
        if (compare(podTarget, store(podTarget, object))) made++;
      }),
      { numRuns: 1000 },
    );
    assert.ok(made > 20 && made < 990, `${made} of 1000`);
  });

  it('are those of random pods with their defaults', () => {
    let made = 0;
    fc.assert(
      fc.property(arbitraryObject(podTarget.schema), (random) => {
        const object = normalize<ApiObject>(random, podTarget.schema);
        podTarget.version.setDefaults!(object);
        if (compare(podTarget, store(podTarget, object))) made++;
      }),
      { numRuns: 1000 },
    );
    assert.ok(made > 100, `${made} of 1000`);
  });

  it('are those of the object for damaged bytes, or none', () => {
    const value = store(podTarget, podObject(1));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(value.length - 1), fc.nat(255)), { minLength: 1, maxLength: 2 }),
        (changes) => {
          const damaged = Uint8Array.from(value);
          for (const [at, byte] of changes) damaged[at] = byte;
          compare(podTarget, damaged);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('are made without decoding for other kinds that are settled', () => {
    const objects: readonly [string, string, object][] = [
      ['v1', 'Secret', { type: 'Opaque', data: { b: 'AAEC', a: 'x'.repeat(400) } }],
      [
        'v1',
        'Node',
        {
          spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
          status: { capacity: { cpu: '8', memory: '32Gi' }, allocatable: { cpu: '7900m', memory: '31Gi' } },
        },
      ],
      ['v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }] }],
      [
        'discovery.k8s.io/v1',
        'EndpointSlice',
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
          ports: [{ name: '', port: 80, protocol: 'TCP' }],
        },
      ],
    ];
    for (const [groupVersion, kind, object] of objects) {
      const target = scheme.forKind(groupVersion, kind)!;
      const whole = normalize<ApiObject>({ metadata: { name: 'x' }, ...object }, target.schema);
      assert.equal(useOf(target, store(target, whole)), 'protobuf-and-json', kind);
      fc.assert(
        fc.property(arbitraryObject(target.schema), fc.boolean(), (random, defaulted) => {
          const other = normalize<ApiObject>(random, target.schema);
          if (defaulted) target.version.setDefaults?.(other);
          useOf(target, store(target, other));
        }),
        { numRuns: 200 },
      );
    }
    const unsettled: readonly [string, string, object][] = [
      ['v1', 'Secret', { data: { a: 'AAEC' } }],
      ['v1', 'Secret', { type: 'Opaque', stringData: { a: 'b' } }],
      ['v1', 'Node', { status: { capacity: { cpu: '8' } } }],
      ['v1', 'Node', { spec: { podCIDR: '10.0.0.0/24' }, status: { allocatable: { cpu: '8' } } }],
      ['v1', 'Node', { spec: { podCIDRs: ['10.0.0.0/24'] }, status: { allocatable: { cpu: '8' } } }],
      ['v1', 'Node', { status: { allocatable: { cpu: '100u' } } }],
      ['v1', 'Endpoints', { subsets: [{ ports: [{ port: 80 }] }] }],
      ['discovery.k8s.io/v1', 'EndpointSlice', { endpoints: [], ports: [{ port: 80, protocol: 'TCP' }] }],
    ];
    for (const [groupVersion, kind, object] of unsettled) {
      const target = scheme.forKind(groupVersion, kind)!;
      const whole = normalize<ApiObject>({ metadata: { name: 'x' }, ...object }, target.schema);
      assert.equal(useOf(target, store(target, whole)), 'none', `${kind} ${JSON.stringify(object)}`);
    }
  });

  it('are left to the object where another version, form or writer has stored it', () => {
    const config = scheme.forKind('v1', 'ConfigMap')!;
    const stored = (metadata: object, data: object): Uint8Array =>
      encodeProtobuf(config.message, 'v1', 'ConfigMap', { metadata: { name: 'x', ...metadata }, data });
    assert.equal(useOf(config, stored({}, { a: 'é"\n\u0001\u001f\u007f\\\u2028', b9: '😀' })), 'protobuf-and-json');
    // JavaScript has the keys of objects that are integers before all others, and in their order.
    assert.equal(useOf(config, stored({}, { 10: 'a', 9: 'b', a: 'c' })), 'protobuf');
    assert.equal(useOf(config, stored({ resourceVersion: '7' }, {})), 'none');
    assert.equal(useOf(config, Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}')), 'none');
    const event = scheme.forKind('events.k8s.io/v1', 'Event');
    if (event !== undefined) assert.equal(useOf(event, stored({}, {})), 'none');
  });

  it('have every character escaped that JSON wants escaped, wherever it is', () => {
    const config = scheme.forKind('v1', 'ConfigMap')!;
    const data: Record<string, string> = {};
    for (const character of [
      ...Array.from({ length: 0x81 }, (_, code) => String.fromCharCode(code)),
      ...'é€😀‧\u2028\u2029\u202a\u2128℩',
    ])
      for (let before = 0; before < 9; before++)
        data[`k${Object.keys(data).length}`] = `${'abcdefghi'.slice(0, before)}${character}${'xyz'.slice(before % 4)}`;
    const value = encodeProtobuf(config.message, 'v1', 'ConfigMap', { metadata: { name: 'x' }, data });
    assert.equal(useOf(config, value), 'protobuf-and-json');
  });

  it('have markup escaped in the raw JSON that they hold, wherever it is', () => {
    const config = scheme.forKind('v1', 'ConfigMap')!;
    const revision = scheme.forKind('apps/v1', 'ControllerRevision')!;
    for (const character of ['<', '>', '&', '\u2028', '\u2029', '\u202a', '"', 'é', '😀'])
      for (let before = 0; before < 9; before++) {
        const key = `f:${'abcdefghi'.slice(0, before)}${character}${'xyz'.slice(before % 4)}`;
        const managedFields = [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { [key]: {} } }];
        assert.equal(useOf(config, store(config, { metadata: { managedFields } })), 'protobuf-and-json');
        const raw = store(revision, { data: { [key]: character }, revision: 1 });
        assert.equal(useOf(revision, raw), 'protobuf-and-json');
      }
  });

  it('are written one after another in the same memory, whatever their size', () => {
    const config = scheme.forKind('v1', 'ConfigMap')!;
    for (const bytes of [10, 100_000, 3_000_000, 10]) {
      const data = { a: 'x'.repeat(bytes), b: '\u0001'.repeat(bytes) };
      const value = encodeProtobuf(config.message, 'v1', 'ConfigMap', { metadata: { name: 'x' }, data });
      assert.equal(useOf(config, value), 'protobuf-and-json');
    }
  });
});
