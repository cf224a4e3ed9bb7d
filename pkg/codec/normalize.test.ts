import assert from 'node:assert/strict';
import { DecodeError, normalize } from './normalize.ts';
import { schemaOf } from './schemas.ts';

const as = (message: string, value: unknown) => normalize<Record<string, any>>(value, schemaOf(message)); // any: results of many shapes
const pod = (value: unknown) => as('core/v1.Pod', value);

describe('normalize', () => {
  it('puts fields in the order of declaration and drops unknown ones', () => {
    const unknown: string[] = [];
    const out = normalize(
      JSON.parse('{"data":{"b":"2","a":"1"},"bogus":{"x":1},"metadata":{"nope":1,"name":"m"},"__proto__":{"y":1}}'),
      schemaOf('core/v1.ConfigMap'),
      { onUnknown: (path) => unknown.push(path) },
    );
    assert.equal(JSON.stringify(out), '{"metadata":{"name":"m"},"data":{"a":"1","b":"2"}}');
    assert.deepEqual(unknown.sort(), ['__proto__', 'bogus', 'metadata.nope']);
  });

  it('reports where the unknown field is', () => {
    const unknown: string[] = [];
    normalize({ spec: { containers: [{ name: 'a' }, { bogus: 1, env: [{ nope: 1 }] }] } }, schemaOf('core/v1.Pod'), {
      onUnknown: (path) => unknown.push(path),
    });
    assert.deepEqual(unknown.sort(), ['spec.containers[1].bogus', 'spec.containers[1].env[0].nope']);
  });

  it('is idempotent, and leaves its input unchanged', () => {
    const given = {
      metadata: { labels: { b: '1', a: '2' } },
      spec: { containers: [{ resources: { limits: { cpu: 0.5 } }, ports: [{ containerPort: 80 }] }] },
    };
    const before = structuredClone(given);
    const once = pod(given);
    assert.deepEqual([pod(once), given], [once, before]);
  });

  it('gives structs and required scalars their zero values, and leaves empty optional ones out', () => {
    assert.deepEqual(pod({}), { metadata: {}, spec: { containers: null }, status: {} });
    assert.deepEqual(
      pod({
        spec: {
          containers: [{ name: '', image: '', args: [], env: null, stdin: false, resources: {}, tty: null }],
          hostname: '',
          nodeSelector: {},
        },
      }).spec,
      { containers: [{ name: '', resources: {} }] },
    );
    assert.deepEqual(pod(null), pod({}));
    assert.deepEqual(as('core/v1.ConfigMap', { data: null, immutable: false }), { metadata: {}, immutable: false });
  });

  it('keeps every digit', () => {
    assert.equal(
      as('core/v1.Pod', { metadata: { generation: 9007199254740993n } }).metadata.generation,
      9007199254740993n,
    );
    assert.equal(pod({ metadata: { generation: 9007199254740991 } }).metadata.generation, 9007199254740991);
  });

  it('makes values canonical', () => {
    const limits = (value: unknown) =>
      pod({ spec: { containers: [{ resources: { limits: { x: value } } }] } }).spec.containers[0].resources.limits.x;
    assert.deepEqual([0.5, '1000m', '1024Mi', 2, '0.0010', 12345678901234567890n].map(limits), [
      '500m',
      '1',
      '1Gi',
      '2',
      '1m',
      '12345678901234567890',
    ]);
    const created = (value: unknown) => pod({ metadata: { creationTimestamp: value } }).metadata.creationTimestamp;
    assert.deepEqual([null, '2024-01-02T03:04:05Z', '2024-01-02T05:04:05.678+02:00'].map(created), [
      undefined,
      '2024-01-02T03:04:05Z',
      '2024-01-02T03:04:05Z',
    ]);
    assert.throws(() => created(''), /^Error: parsing time "" as /);
    const renewed = (value: unknown) => as('coordination/v1.Lease', { spec: { renewTime: value } }).spec.renewTime;
    assert.deepEqual([undefined, null, '2024-01-02T05:04:05.123456+02:00'].map(renewed), [
      undefined,
      undefined,
      '2024-01-02T03:04:05.123456Z',
    ]);
    for (const text of ['', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123Z', '2024-01-02T03:04:05.1234567Z'])
      assert.throws(
        () => renewed(text),
        /^Error: parsing time .* as "2006-01-02T15:04:05\.000000Z07:00": cannot parse /,
      );
    const port = (value: unknown) =>
      as('core/v1.Service', { spec: { ports: [{ targetPort: value }] } }).spec.ports[0].targetPort;
    assert.deepEqual([80, 'http', undefined].map(port), [80, 'http', 0]);
  });

  it('decodes null elements into zero values', () => {
    assert.deepEqual(as('core/v1.ConfigMap', { data: { a: null } }).data, { a: '' });
    assert.deepEqual(pod({ spec: { containers: [null] } }).spec.containers, [{ name: '', resources: {} }]);
    assert.deepEqual(as('core/v1.Secret', { data: { a: null } }).data, { a: null });
  });

  it('keeps hostile keys as data', () => {
    const { data } = as('core/v1.ConfigMap', JSON.parse('{"data":{"__proto__":"x","toString":"y"}}'));
    assert.deepEqual([Object.keys(data), Object.getPrototypeOf(data)], [['__proto__', 'toString'], Object.prototype]);
    assert.equal(as('core/v1.ConfigMap', Object.create({ data: { inherited: 'x' } })).data, undefined);
  });

  const wrong: readonly (readonly [message: string, value: unknown, problem: string])[] = [
    ['core/v1.Pod', 'text', 'json: cannot unmarshal string into Go value of type v1.Pod'],
    [
      'core/v1.Pod',
      { metadata: [] },
      'json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta',
    ],
    [
      'core/v1.Pod',
      { metadata: { name: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'core/v1.Pod',
      { metadata: { labels: { a: true } } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'core/v1.Pod',
      { metadata: { labels: [] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'core/v1.Pod',
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'core/v1.Pod',
      { spec: { containers: [{ stdin: 'true' }] } },
      'json: cannot unmarshal string into Go struct field Container.spec.containers.stdin of type bool',
    ],
    [
      'core/v1.Pod',
      { spec: { priority: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      'core/v1.Pod',
      { spec: { priority: 2147483648 } },
      'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      'core/v1.Pod',
      { spec: { activeDeadlineSeconds: 2n ** 63n } },
      'json: cannot unmarshal number 9223372036854775808 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
    ],
    [
      'core/v1.Pod',
      { metadata: { creationTimestamp: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      'core/v1.Pod',
      { spec: { containers: [{ args: ['a', 1] }] } },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.args of type string',
    ],
  ];
  for (const [message, value, problem] of wrong) {
    it(`refuses ${JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v))}`, () =>
      assert.throws(
        () => as(message, value),
        (e) => e instanceof DecodeError && (assert.equal(e.message, problem), true),
      ));
  }

  it('refuses invalid times, quantities and bytes', () => {
    for (const [message, value] of [
      ['core/v1.Pod', { metadata: { creationTimestamp: 'yesterday' } }],
      ['core/v1.Pod', { spec: { overhead: { cpu: 'much' } } }],
      ['core/v1.Secret', { data: { a: '***' } }],
      ['core/v1.Secret', { data: { a: 7 } }],
    ] as const) {
      assert.throws(() => as(message, value), DecodeError, JSON.stringify(value));
    }
  });

  it('bounds the structs of one object and the depth of raw values', () => {
    assert.throws(
      () => pod({ spec: { containers: Array.from({ length: 50_001 }, () => ({})) } }),
      /more than 50000 elements/,
    );
    assert.throws(
      () =>
        pod({
          spec: { containers: Array.from({ length: 300 }, () => ({ env: Array.from({ length: 200 }, () => ({})) })) },
        }),
      /more than 50000 elements/,
    );
    let deep: unknown = 1;
    for (let i = 0; i < 600; i++) deep = [deep];
    assert.throws(() => as('apps/v1.ControllerRevision', { data: { deep } }), { message: 'exceeded max depth' });
  });
});
