import assert from 'node:assert/strict';
import { allResources } from '../../api/all-resources.ts';
import { Scheme } from '../../api/scheme.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { refusal } from '../../apimachinery/errors/status-error-testing.ts';
import { messageOf } from '../../codec/messages.ts';
import { encodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import type { WorkerPools } from '../worker-pools.ts';
import { BODY_BYTES_MAX, decodeObject, decodeOptions, readAhead, turnAfterDecoding } from './decode-body.ts';
import { HttpExchange } from '../request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { FieldValidation } from '../request/request-options.ts';

const scheme = new Scheme(allResources);
const configMaps = scheme.forResource('v1', 'configmaps')!;
const hpasV2 = scheme.forResource('autoscaling/v2', 'horizontalpodautoscalers')!;
const deployments = scheme.forResource('apps/v1', 'deployments')!;

function contextOf(body: string | Uint8Array, contentType = 'application/json'): RequestContext {
  const request = { method: 'POST', headers: { 'content-type': contentType } } as unknown as RawRequest;
  const context = new RequestContext(
    new HttpExchange(request, {} as RawResponse),
    parseRequestInfo('POST', '/api/v1/configmaps', false),
    '',
    {},
    'id',
    0,
  );
  context.body = typeof body === 'string' ? Buffer.from(body) : body;
  return context;
}

function decode(
  body: string | Uint8Array,
  contentType?: string,
  { target = configMaps, validation = 'Warn' as FieldValidation } = {},
) {
  return decodeObject(contextOf(body, contentType), scheme, target, validation);
}

describe('decodeObject', () => {
  const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm' }, data: { a: 'b' } };

  it('gives the same object for JSON, YAML and protobuf', () => {
    assert.deepEqual(decode(JSON.stringify(map)), map);
    assert.deepEqual(
      decode('kind: ConfigMap\napiVersion: v1\nmetadata: {name: m}\ndata: {a: b}\n', 'application/yaml'),
      map,
    );
    assert.deepEqual(
      decode(
        encodeProtobuf(messageOf('core/v1.ConfigMap'), 'v1', 'ConfigMap', map),
        'application/vnd.kubernetes.protobuf',
      ),
      map,
    );
  });

  it('takes absent kind and version from the path', () =>
    assert.deepEqual(decode('{"metadata":{"name":"m"},"data":{"a":"b"}}'), map));

  it('applies the defaults of the version and converts to the hub', () => {
    const deployment = decode('{"metadata":{"name":"d"},"spec":{"selector":{},"template":{}}}', undefined, {
      target: deployments,
    }) as unknown as { spec: { replicas: number }; apiVersion: string };
    assert.deepEqual([deployment.spec.replicas, deployment.apiVersion], [1, deployments.definition.hub]);
    assert.equal(decode('{"spec":{"maxReplicas":2}}', undefined, { target: hpasV2 }).apiVersion, hpasV2.definition.hub);
  });

  it('keeps hostile keys as data', () => {
    const { data } = decode('{"data":{"__proto__":"x","constructor":"y"}}') as unknown as { data: object };
    assert.deepEqual(
      [Object.keys(data).sort(), Object.getPrototypeOf(data)],
      [['__proto__', 'constructor'], Object.prototype],
    );
  });

  describe('field validation', () => {
    const sloppy = '{"data":{"a":"1","a":"2"},"bogus":1,"metadata":{"name":"m","nope":{}}}';
    it('warns of unknown and duplicate fields', () => {
      const context = contextOf(sloppy);
      assert.deepEqual((decodeObject(context, scheme, configMaps, 'Warn') as unknown as { data: object }).data, {
        a: '2',
      });
      assert.deepEqual([...context.warnings].sort(), [
        'duplicate field "data.a"',
        'unknown field "bogus"',
        'unknown field "metadata.nope"',
      ]);
    });
    it('reports nothing when set to ignore', () => {
      const context = contextOf(sloppy);
      decodeObject(context, scheme, configMaps, 'Ignore');
      assert.deepEqual(context.warnings, []);
    });
    it('refuses when strict', () => {
      assert.throws(
        () => decode('{"bogus":1,"data":{}}', undefined, { validation: 'Strict' }),
        refusal(
          400,
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
        ),
      );
      assert.throws(
        () => decode('bogus: 1\nbogus: 2\n', 'application/yaml', { validation: 'Strict' }),
        refusal(
          400,
          /strict decoding error: yaml: unmarshal errors:\n  line 2: key "bogus" already set in map, unknown field "bogus"$/,
        ),
      );
      assert.deepEqual(decode(JSON.stringify(map), undefined, { validation: 'Strict' }), map);
    });
    it('tells the problems in the order of the text', () => {
      const told = (body: string): string[] => {
        const context = contextOf(body);
        decodeObject(context, scheme, deployments, 'Warn');
        return [...context.warnings];
      };
      assert.deepEqual(
        told(
          '{"zebra":1,"spec":{"template":{"spec":{"containers":[{"name":"c","imagee":"x","env":[{"nam":"y"}]},{"b":1,"a":2}]},"x":1},"selektor":{},"replicas":1,"replicas":2},"metadata":{"nope":1},"alpha":{}}',
        ),
        [
          'unknown field "zebra"',
          'unknown field "spec.template.spec.containers[0].imagee"',
          'unknown field "spec.template.spec.containers[0].env[0].nam"',
          'unknown field "spec.template.spec.containers[1].b"',
          'unknown field "spec.template.spec.containers[1].a"',
          'unknown field "spec.template.x"',
          'unknown field "spec.selektor"',
          'duplicate field "spec.replicas"',
          'unknown field "metadata.nope"',
          'unknown field "alpha"',
        ],
      );
      assert.deepEqual(told('{"metadata":{"name":"a"},"bogus":{"x":1,"x":2},"metadata":{"name":"b"}}'), [
        'unknown field "bogus"',
        'duplicate field "metadata"',
      ]);
      const sorted = contextOf('zebra: 1\nspec: {selektor: {}}\nalpha: 1\n', 'application/yaml');
      decodeObject(sorted, scheme, deployments, 'Warn');
      assert.deepEqual(sorted.warnings, [
        'unknown field "alpha"',
        'unknown field "spec.selektor"',
        'unknown field "zebra"',
      ]);
    });
    it('tells a bounded number of problems', () => {
      const context = contextOf(
        JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, 1]))),
      );
      decodeObject(context, scheme, configMaps, 'Warn');
      assert.equal(context.warnings.length, 100);
    });
  });

  it('refuses unknown media types and long bodies', () => {
    assert.throws(
      () => decode('{}', 'text/plain'),
      refusal(
        415,
        /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/,
      ),
    );
    assert.throws(
      () => decode(new Uint8Array(BODY_BYTES_MAX + 1)),
      refusal(413, `Request entity too large: limit is ${BODY_BYTES_MAX}`),
    );
  });

  const struct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  const unreadable: readonly (readonly [body: string, reason: string])[] = [
    ['[]', `json: cannot unmarshal array into Go value of type ${struct} (5b5d)`],
    ['null', `json: cannot unmarshal null into Go value of type ${struct} (6e756c6c)`],
    ['true', `json: cannot unmarshal bool into Go value of type ${struct} (74727565)`],
    ['{"a":', 'unexpected end of JSON input ({"a":)'],
    ['', 'unexpected end of JSON input (<empty>)'],
    [`{${' '.repeat(40)}`, `unexpected end of JSON input ({${' '.repeat(29)} ...)`],
  ];
  for (const [body, reason] of unreadable) {
    it(`refuses ${body.slice(0, 10) || 'an empty body'}`, () =>
      assert.throws(
        () => decode(body),
        refusal(
          400,
          `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${reason}`,
        ),
      ));
  }

  it('refuses other kinds and versions', () => {
    assert.throws(
      () => decode('{"kind":"Nothing"}'),
      refusal(
        400,
        'Nothing in version "v1" cannot be handled as a ConfigMap: no kind "Nothing" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
      ),
    );
    assert.throws(
      () => decode('{"kind":"Secret"}'),
      refusal(
        400,
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ),
    );
    assert.throws(
      () => decode('{"apiVersion":"autoscaling/v1"}', undefined, { target: hpasV2 }),
      refusal(
        400,
        'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
      ),
    );
    assert.throws(() => decode('{"kind":7}'), refusal(400, /kind and apiVersion must be strings/));
  });

  it('words values of the wrong type as Go does', () => {
    assert.throws(
      () => decode('{"data":{"a":1}}'),
      refusal(
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      ),
    );
  });

  describe('of protobuf', () => {
    const type = 'application/vnd.kubernetes.protobuf';
    const bytes = Buffer.from(encodeProtobuf(messageOf('core/v1.ConfigMap'), 'v1', 'ConfigMap', map));
    it('refuses bytes without the prefix', () =>
      assert.throws(
        () => decode('{}', type),
        refusal(
          400,
          /^the object provided is unrecognized \(must be of type ConfigMap\): provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\] \(\{\}\)$/,
        ),
      ));
    it('refuses every cut of a body in words of its own', () => {
      for (let length = 0; length < bytes.length - 4; length++) {
        let decoded: unknown;
        try {
          decoded = decode(bytes.subarray(0, length), type);
        } catch (error) {
          assert.ok(error instanceof StatusError && error.code === 400, `${length}: ${String(error)}`);
          continue;
        }
        // A cut between fields of the envelope leaves a smaller one.
        assert.equal((decoded as { kind: string }).kind, 'ConfigMap');
      }
    });
    const podBytes = (metadata: object, quantity: string, containers = 1): Uint8Array =>
      encodeProtobuf(messageOf('core/v1.Pod'), 'v1', 'Pod', {
        metadata,
        spec: {
          containers: Array.from({ length: containers }, (_, i) => ({
            name: `c${i}`,
            resources: { limits: { cpu: quantity } },
          })),
        },
      });
    const target = scheme.forResource('v1', 'pods')!;
    it('brings quantities into their canonical form, as in JSON', () => {
      const json = { spec: { containers: [{ name: 'c0', resources: { limits: { cpu: '1000m' } } }] } };
      const pod = decode(podBytes({}, '1000m'), type, { target });
      assert.deepEqual(pod, decode(JSON.stringify(json), 'application/json', { target }));
      assert.throws(
        () => decode(podBytes({}, 'much'), type, { target }),
        refusal(400, /^Pod in version "v1" cannot be handled as a Pod: quantities must match/),
      );
    });
    it('brings maps into the order of their keys', () => {
      // Entries of the field `data`: tag, length, key, value.
      const unsorted = encodeEnvelope('v1', 'ConfigMap', (w) => {
        for (const key of ['b', '__proto__', 'a'])
          w.uint32(18).fork().uint32(10).string(key).uint32(18).string('v').ldelim();
      });
      const { data } = decode(unsorted, type) as unknown as { data: object };
      assert.deepEqual(Object.keys(data), ['__proto__', 'a', 'b']);
    });
    it('bounds the elements of one object', () =>
      assert.throws(
        () => decode(podBytes({}, '1', 50_001), type, { target }),
        refusal(400, /more than 50000 elements/),
      ));
    it('makes each object once: the decoder makes it in its canonical shape', () => {
      const { message } = target;
      let made: unknown;
      const counting = {
        ...target,
        message: {
          ...message,
          read: (...args: Parameters<NonNullable<typeof message.read>>) => (made = message.read!(...args)),
        },
      };
      assert.equal(decode(podBytes({ labels: { a: 'b' } }, '1'), type, { target: counting }), made);
    });
    it('refuses another kind', () =>
      assert.throws(
        () => decode(encodeProtobuf(messageOf('core/v1.Secret'), 'v1', 'Secret', {}), type),
        refusal(400, /unknown conversion$/),
      ));
  });
});

describe('decodeOptions', () => {
  const of = (body: string, type?: string) => decodeOptions<object>(contextOf(body, type), 'DeleteOptions');
  it('takes an empty body for no options', () => assert.deepEqual(of('', 'text/nonsense'), {}));
  it('reads JSON, YAML and protobuf', () => {
    assert.deepEqual(of('{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}'), {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
    });
    assert.deepEqual(of('propagationPolicy: Orphan', 'application/yaml'), { propagationPolicy: 'Orphan' });
    const bytes = encodeProtobuf(messageOf('meta/v1.DeleteOptions'), 'v1', 'DeleteOptions', {
      preconditions: { uid: 'u' },
    });
    assert.deepEqual(decodeOptions(contextOf(bytes, 'application/vnd.kubernetes.protobuf'), 'DeleteOptions'), {
      preconditions: { uid: 'u' },
    });
  });
  it('refuses what is none', () => {
    assert.throws(() => of('{}', 'text/plain'), refusal(415, /unknown format/));
    assert.throws(
      () => of('{'),
      refusal(500, /^couldn't get version\/kind; json parse error: unexpected end of JSON input$/),
    );
    assert.throws(
      () => of('{"gracePeriodSeconds":"x"}'),
      refusal(
        500,
        /^json: cannot unmarshal string into Go struct field DeleteOptions\.gracePeriodSeconds of type int64$/,
      ),
    );
    assert.throws(
      () => of('{"kind":"Pod","apiVersion":"v1"}'),
      refusal(500, /^no kind "Pod" is registered for version "v1" in scheme /),
    );
  });
});

describe('turnAfterDecoding', () => {
  it('lets others have a turn after a large body alone', async () => {
    assert.equal(turnAfterDecoding(contextOf('{}')), undefined);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await turnAfterDecoding(contextOf(JSON.stringify({ a: 'x'.repeat(300_000) })));
    assert.ok(turned);
  });
});

describe('readAhead', () => {
  const asked: number[] = [];
  const pools = {
    thresholds: { yamlThreadBytes: 70_000 },
    readYaml: (body: Uint8Array) => {
      asked.push(body.length);
      return Promise.resolve({ value: { data: { from: 'thread' } } });
    },
  } as unknown as WorkerPools;

  it('has only large YAML bodies read on a thread', async () => {
    const large = `data: {a: ${'x'.repeat(70_000)}}`;
    assert.equal(readAhead(contextOf('data: {}', 'application/yaml'), pools), undefined);
    assert.equal(readAhead(contextOf(`{"data":{"a":"${large}"}}`), pools), undefined);
    const context = contextOf(large, 'application/yaml');
    await readAhead(context, pools);
    assert.deepEqual(asked, [large.length]);
    assert.deepEqual((decodeObject(context, scheme, configMaps, 'Warn') as unknown as { data: object }).data, {
      from: 'thread',
    });
  });
});
