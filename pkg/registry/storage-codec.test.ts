import assert from 'node:assert/strict';
import { configMap } from '../api/core/config-map/config-map.ts';
import { allResources } from '../api/all-resources.ts';
import { Scheme } from '../api/scheme.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { messageOf } from '../codec/messages.ts';
import { decodeEnvelope, hasMagic } from '../codec/protobuf/envelope.ts';
import { encodeProtobuf } from '../codec/protobuf/protobuf-codec.ts';
import { hubObject } from './registry-testing.ts';
import { StorageCodec } from './storage-codec.ts';

const scheme = new Scheme(allResources);
const codec = new StorageCodec(scheme, configMap);
const definitionOf = (groupVersion: string, resource: string) => scheme.forResource(groupVersion, resource)!.definition;

describe('StorageCodec', () => {
  const object = () =>
    hubObject(
      configMap,
      { name: 'm', resourceVersion: '5', labels: { b: '2', a: '1', ['__proto__']: 'p' } },
      { data: { k: 'v' } },
    );

  it('writes protobuf of the stored version, and never a resourceVersion', () => {
    const given = object();
    const value = codec.encode(given);
    const { apiVersion, kind } = decodeEnvelope(value);
    assert.deepEqual([hasMagic(value), apiVersion, kind], [true, 'v1', 'ConfigMap']);
    assert.deepEqual(given, object());
    assert.deepEqual(codec.encode({ ...given, metadata: { ...given.metadata, resourceVersion: '6' } }), value);
  });

  it('reads back what it wrote, at the revision of the key', () => {
    const read = codec.decode(codec.encode(object()), 17);
    assert.equal(read.metadata.resourceVersion, '17');
    assert.deepEqual({ ...read, metadata: { ...read.metadata, resourceVersion: '5' } }, object());
  });

  it('predicts how an object will be read back', () => {
    for (const [groupVersion, resource, body] of [
      ['rbac.authorization.k8s.io/v1', 'clusterroles', { rules: [] }],
      ['v1', 'namespaces', { spec: { finalizers: [] }, status: { phase: 'Active' } }],
      [
        'apiextensions.k8s.io/v1',
        'customresourcedefinitions',
        {
          spec: { group: 'g', names: { plural: 'p', kind: 'P' }, scope: 'Cluster', versions: [] },
          status: { conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: [] },
        },
      ],
    ] as const) {
      const definition = definitionOf(groupVersion, resource);
      const own = new StorageCodec(scheme, definition);
      const given = { ...hubObject(definition, { name: 'x' }, {}), ...structuredClone(body) } as ApiObject;
      const value = own.encode(given);
      const read = own.readBack(given, value);
      delete read.metadata.resourceVersion;
      const {
        metadata: { resourceVersion: _, ...metadata },
        ...decoded
      } = own.decode(value, 7);
      assert.deepEqual(read, { ...decoded, metadata }, resource);
    }
  });

  it('decodes nothing of what it has just encoded where the stored version has the same fields', () => {
    for (const resource of ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']) {
      const definition = definitionOf('admissionregistration.k8s.io/v1', resource);
      assert.notEqual(definition.hub, definition.storageVersion);
      const own = new StorageCodec(scheme, definition);
      const given = hubObject(definition, { name: 'x', labels: { a: 'b' } }, { spec: {} });
      const value = own.encode(given);
      let decodes = 0;
      const counting = Object.create(own, {
        decode: { value: (...args: Parameters<StorageCodec['decode']>) => (decodes++, own.decode(...args)) },
      }) as StorageCodec;
      const read = counting.readBack(given, value);
      assert.equal(decodes, 0);
      const { metadata, ...decoded } = own.decode(value, 7);
      delete metadata.resourceVersion;
      assert.deepEqual(read, { ...decoded, metadata }, resource);
    }
  });

  it('reads back another version than the hub by its rules', () => {
    const deployments = { ...definitionOf('apps/v1', 'deployments'), storageVersion: 'extensions/v1beta1' };
    const old = new StorageCodec(new Scheme([deployments]), deployments);
    const given = hubObject(
      deployments,
      { name: 'd' },
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } },
        },
      },
    );
    const read = old.readBack(given, old.encode(given));
    assert.deepEqual(read.metadata.labels, { a: 'b' });
  });

  it('writes equal objects as equal bytes, with maps in any order', () => {
    const other = hubObject(
      configMap,
      { name: 'm', labels: { ['__proto__']: 'p', a: '1', b: '2' } },
      { data: { k: 'v' } },
    );
    assert.deepEqual(codec.encode(other), codec.encode(object()));
  });

  it('reads JSON as well, with any unknown fields', () => {
    const json = Buffer.from(JSON.stringify({ ...object(), bogus: 1 }));
    assert.deepEqual(codec.decode(json, 5), codec.decode(codec.encode(object()), 5));
    assert.deepEqual(codec.labels(json), codec.labels(codec.encode(object())));
  });

  it('reads labels without the rest', () => {
    const labels = codec.labels(codec.encode(object()))!;
    assert.deepEqual(Object.entries(labels).sort(), [
      ['__proto__', 'p'],
      ['a', '1'],
      ['b', '2'],
    ]);
    assert.equal(codec.labels(codec.encode(hubObject(configMap, { name: 'm' }))), undefined);
  });

  it('writes the configured media type, and reads all of them', () => {
    const codecs = (['application/vnd.kubernetes.protobuf', 'application/json', 'application/yaml'] as const).map(
      (mediaType) => new StorageCodec(scheme, configMap, mediaType),
    );
    const tricky = { ...object(), data: { yes: 'no', text: '- a\n: {', number: '1.0', ['__proto__']: 'null' } };
    const values = codecs.map((one) => one.encode(tricky));
    assert.deepEqual(
      values.map((value) => (hasMagic(value) ? 'protobuf' : String.fromCharCode(value[0]!))),
      ['protobuf', '{', 'a'],
    );
    for (const reader of codecs) {
      for (const value of values) {
        assert.deepEqual(reader.decode(value, 5), codec.decode(codec.encode(tricky), 5));
        assert.deepEqual(Object.entries(reader.labels(value)!).sort(), Object.entries(tricky.metadata.labels!).sort());
      }
    }
  });

  it('refuses objects of another kind', () => {
    const secret = encodeProtobuf(messageOf('core/v1.Secret'), 'v1', 'Secret', {});
    assert.throws(() => codec.decode(secret, 1), {
      message: 'stored object of configmaps is of kind Secret in version v1',
    });
    assert.throws(
      () => codec.decode(Buffer.from('{"kind":"Nothing","apiVersion":"v9"}'), 1),
      /of kind Nothing in version v9/,
    );
    assert.throws(() => codec.decode(Buffer.from('no JSON'), 1));
  });

  it('reads every version of a kind, with its defaults, into the hub', () => {
    const definition = definitionOf('autoscaling/v2', 'horizontalpodautoscalers');
    const hpas = new StorageCodec(scheme, definition);
    const spec = {
      scaleTargetRef: { kind: 'X', name: 'x', apiVersion: '' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    };
    const old = encodeProtobuf(
      messageOf('autoscaling/v1.HorizontalPodAutoscaler'),
      'autoscaling/v1',
      'HorizontalPodAutoscaler',
      { metadata: { name: 'h' }, spec, status: { currentReplicas: 0, desiredReplicas: 0 } },
    );
    const read = hpas.decode(old, 1) as ApiObject & { spec: { minReplicas: number } };
    assert.deepEqual(
      [read.apiVersion, read.kind, read.spec.minReplicas],
      [definition.hub, 'HorizontalPodAutoscaler', 1],
    );
    assert.equal(decodeEnvelope(hpas.encode(read)).apiVersion, definition.storageVersion);
  });

  it('writes JSON where stock servers do', () => {
    const definition = definitionOf('apiregistration.k8s.io/v1', 'apiservices');
    const services = new StorageCodec(scheme, definition);
    const value = services.encode(
      hubObject(
        definition,
        { name: 'v1.g' },
        { spec: { versionPriority: 1, groupPriorityMinimum: 2, group: 'g', version: 'v1' } },
      ),
    );
    const parsed = JSON.parse(Buffer.from(value).toString());
    assert.deepEqual(
      [hasMagic(value), parsed.apiVersion, parsed.spec.group, parsed.metadata.resourceVersion],
      [false, definition.storageVersion, 'g', undefined],
    );
  });

  it('lists the fields by which the kind is selected', () => {
    const events = definitionOf('v1', 'events');
    const of = (label: string) =>
      new StorageCodec(scheme, events).field(
        hubObject(events, { name: 'e' }, { reason: 'Because', involvedObject: {}, regarding: {} }),
        label,
      );
    assert.equal(of('reason'), 'Because');
    assert.equal(codec.field(object(), 'reason'), '');
  });
});
