import assert from 'node:assert/strict';
import { encodeEnvelope } from '../../pkg/codec/protobuf/envelope.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const path = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';
const unrecognized = (reason: string, summary: string): string =>
  `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${reason} (${summary})`;

describe('malformed bodies', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const create = (body: string | Uint8Array, contentType = 'application/json') =>
    server.client.send('POST', path, { body, contentType });
  const refused = async (body: string | Uint8Array, message: string | RegExp, contentType?: string): Promise<void> => {
    expectRefusal(await create(body, contentType), { code: 400, reason: 'BadRequest', message });
  };

  it('answers broken JSON in the words that clients know', () =>
    whileServing(server, async () => {
      await refused('{"apiVersion":"v1",', unrecognized('unexpected end of JSON input', '{"apiVersion":"v1",'));
      await refused('[]', /cannot unmarshal array into Go value of type struct/);
      await refused('null', /cannot unmarshal null into Go value/);
      await refused('"text"', /cannot unmarshal string into Go value/);
      await refused('', unrecognized('unexpected end of JSON input', '<empty>'));
      await refused('{"a":1}{"b":2}', unrecognized("invalid character '{' after top-level value", '{"a":1}{"b":2}'));
      await refused(
        "{'a':1}",
        unrecognized(String.raw`invalid character '\'' looking for beginning of object key string`, "{'a':1}"),
      );
      await refused('{"a":01}', unrecognized("invalid character '1' after object key:value pair", '{"a":01}'));
      await refused(
        '{"a":\u0000}',
        unrecognized(String.raw`invalid character '\x00' looking for beginning of value`, '{"a":\u0000}'),
      );
      await refused(
        '\ufeff{}',
        /invalid character '\\u00ef' looking for beginning of value|invalid character 'ï' looking for beginning of value/,
      );
      await refused(
        '{"metadata":{"name":"x"},"data":{"k":NaN}}',
        /invalid character 'N' looking for beginning of value/,
      );
      await refused('}'.repeat(100_000), /invalid character '}' looking for beginning of value/);
    }));

  it('answers values of the wrong type with the way to the field', () =>
    whileServing(server, async () => {
      const wrong = async (object: object, message: string) =>
        refused(JSON.stringify(object), `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: ${message}`);
      await wrong({ data: { k: 1 } }, 'cannot unmarshal number into Go struct field ConfigMap.data of type string');
      await wrong({ data: [] }, 'cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string');
      await wrong(
        { metadata: 'x' },
        'cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
      );
      await wrong(
        { metadata: { labels: 'x' } },
        'cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string',
      );
      await wrong(
        { metadata: { finalizers: [{}] } },
        'cannot unmarshal object into Go struct field ObjectMeta.metadata.finalizers of type string',
      );
      await wrong(
        { immutable: 'yes' },
        'cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
      );
      await refused('{"metadata":{"name":"x","generation":1e400}}', /cannot unmarshal number/);
      await refused(
        JSON.stringify({ metadata: { name: 'x', creationTimestamp: 'yesterday' } }),
        /parsing time "yesterday"/,
      );
      await refused(JSON.stringify({ binaryData: { k: '***' } }), /illegal base64 data at input byte 0/);
    }));

  it('refuses other kinds', () =>
    whileServing(server, async () => {
      const scheme = '"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"';
      await refused(
        JSON.stringify({ apiVersion: 'v1', kind: 'Wrong' }),
        `Wrong in version "v1" cannot be handled as a ConfigMap: no kind "Wrong" is registered for version "v1" in scheme ${scheme}`,
      );
      await refused(
        JSON.stringify({ apiVersion: 'wrong/v9', kind: 'ConfigMap' }),
        `ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "wrong/v9" in scheme ${scheme}`,
      );
      await refused(
        JSON.stringify({ apiVersion: 'v1', kind: 'Pod' }),
        /^Pod in version "v1" cannot be handled as a ConfigMap: converting/,
      );
      await refused(JSON.stringify({ kind: 7 }), /json parse error/);
      await refused(
        JSON.stringify({ kind: '__proto__', apiVersion: 'constructor' }),
        /^__proto__ in version "constructor" cannot be handled as a ConfigMap: no kind "__proto__" is registered/,
      );
    }));

  it('refuses broken YAML', () =>
    whileServing(server, async () => {
      const head = String.raw`^the object provided is unrecognized \(must be of type ConfigMap\): `;
      for (const text of [
        'a: [',
        '"',
        'a: b: c',
        '--- a\n--- b',
        '!!python/object:os.system {}',
        '*missing',
        '%YAML 9.9\n---\na',
        'a: "\\ud800"',
        'a: .inf',
        '',
      ])
        await refused(text, new RegExp(`${head}yaml: `), 'application/yaml');
      for (const text of ['x', '- 1', '&a', '7'])
        await refused(
          text,
          new RegExp(`${head}couldn't get version/kind; json parse error: json: cannot unmarshal`),
          'application/yaml',
        );
      await refused(
        Buffer.from([0x61, 0x3a, 0x20, 0xff]),
        new RegExp(`${head}yaml: invalid UTF-8`),
        'application/yaml',
      );
    }));

  it('refuses broken protobuf', () =>
    whileServing(server, async () => {
      const raw = (bytes: number[]) =>
        encodeEnvelope('v1', 'ConfigMap', (w) => {
          for (const byte of bytes) w.uint32(byte);
        });
      const good = encodeEnvelope('v1', 'ConfigMap', (w) => w.uint32(10).fork().uint32(10).string('whole').ldelim());
      const magic =
        /^the object provided is unrecognized \(must be of type ConfigMap\): provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\]/;
      for (const bytes of [
        new Uint8Array(0),
        good.subarray(0, 3),
        Buffer.from('k8s\u0001'),
        Buffer.from('{"kind":"ConfigMap"}'),
      ])
        await refused(bytes, magic, protobuf);
      for (let length = 5; length < good.length - 4; length++) {
        const answer = await create(good.subarray(0, length), protobuf);
        // Cut between two fields the rest is an object without a name.
        assert.ok(answer.status === 400 || answer.status === 422, `${length}: ${answer.body}`);
        assert.equal(answer.json.kind, 'Status');
      }
      const hostile: Record<string, number[]> = {
        'a length beyond the end': [10, 100, 1],
        'a length of 4 GiB': [10, 0xff, 0xff, 0xff, 0xff, 0x0f],
        'an endless varint': [16, ...Array.from({ length: 20 }, () => 0xff)],
        'a length as a 10-byte varint': [10, ...Array.from({ length: 9 }, () => 0x80), 0x01],
        'wire type 6': [14],
        'wire type 7': [15],
        'field number 0': [0, 0],
        'an unopened group end': [12],
        'groups in groups': Array.from({ length: 100_000 }, () => 0x7b),
        'a map entry beyond its map': [18, 2, 10, 50],
      };
      for (const [what, bytes] of Object.entries(hostile)) {
        const answer = await create(Buffer.concat([raw([]).subarray(0, 4), envelopeOf(bytes)]), protobuf);
        expectRefusal(answer, {
          code: 400,
          reason: 'BadRequest',
          message:
            /^ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: (unexpected EOF|cannot parse invalid wire-format data)$/,
        });
        assert.ok(answer.body.length < 1000, what);
      }
    }));

  it('refuses bodies in no known format', () =>
    whileServing(server, async () => {
      const message =
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
      for (const contentType of [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'nonsense',
        'a/b/c',
        ';;;',
      ]) {
        expectRefusal(await create('{}', contentType), { code: 415, reason: 'UnsupportedMediaType', message });
      }
      // A compressed body is not inflated, so that there is nothing to blow up.
      const zipped = await server.client.send('POST', path, {
        body: Buffer.from([0x1f, 0x8b, 8, 0, 0]),
        headers: { 'content-encoding': 'gzip' },
      });
      expectRefusal(zipped, { code: 400, reason: 'BadRequest', message: /^the object provided is unrecognized/ });
    }));

  it('gives deletes the same care', () =>
    whileServing(server, async () => {
      const remove = (body: string, contentType = 'application/json') =>
        server.client.send('DELETE', `${path}/nothing`, { body, contentType });
      expectRefusal(await remove('{"preconditions":'), { code: 500, message: /unexpected end of JSON input/ });
      expectRefusal(await remove('{"gracePeriodSeconds":"x"}'), { code: 500, message: /cannot unmarshal string/ });
      expectRefusal(await remove('[]'), { code: 500, message: /cannot unmarshal array/ });
      expectRefusal(await remove('{"kind":"Pod","apiVersion":"v1"}'), {
        code: 500,
        message:
          'no kind "Pod" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
      });
      expectRefusal(await remove('k8s\0\x0a\xff', protobuf), { code: 500 });
    }));
});

/** An `Unknown` of a ConfigMap whose raw part is these bytes. */
function envelopeOf(raw: readonly number[]): Uint8Array {
  const typeMeta = [10, 2, 118, 49, 18, 9, ...Buffer.from('ConfigMap')];
  const length: number[] = [];
  let left = raw.length;
  do {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    left >>>= 7;
  } while (left > 0);
  return Uint8Array.from([10, typeMeta.length, ...typeMeta, 18, ...length, ...raw]);
}
