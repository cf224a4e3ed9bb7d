import assert from 'node:assert/strict';
import { messageOf } from '../../pkg/codec/messages.ts';
import { encodeProtobuf } from '../../pkg/codec/protobuf/protobuf-codec.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';

describe('text that is no UTF-8', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    await server.client.post(maps, { metadata: { name: 'x' } });
  });
  after(() => server.stop());

  /** A JSON or YAML body with these bytes as a value. */
  const around = (bytes: number[], open = '{"metadata":{"name":"bytes"},"data":{"k":"', close = '"}}') =>
    Buffer.concat([Buffer.from(open), Buffer.from(bytes), Buffer.from(close)]);
  const broken = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82]];

  it('is refused in JSON and YAML, wherever it stands', () =>
    whileServing(server, async () => {
      for (const bytes of broken) {
        for (const contentType of ['application/json', 'application/yaml']) {
          expectRefusal(await server.client.send('POST', maps, { body: around(bytes), contentType }), {
            code: 400,
            reason: 'BadRequest',
            message: /^the object provided is unrecognized \(must be of type ConfigMap\): .*invalid UTF-8/,
          });
        }
        expectRefusal(
          await server.client.send('POST', maps, {
            body: around(bytes, '{"metadata":{"name":"bytes"},"data":{"', '":"v"}}'),
          }),
          { code: 400, reason: 'BadRequest', message: /invalid UTF-8/ },
        );
        for (const type of ['json', 'merge', 'strategic'] as const)
          expectRefusal(await server.client.patch(`${maps}/x`, type, around(bytes)), {
            code: 400,
            reason: 'BadRequest',
            message: /invalid UTF-8/,
          });
        expectRefusal(await server.client.send('DELETE', `${maps}/x`, { body: around(bytes) }), {
          code: 500,
          message: /invalid UTF-8/,
        });
      }
    }));

  it('becomes the replacement character in protobuf and in escapes', () =>
    whileServing(server, async () => {
      const object = Buffer.from(
        encodeProtobuf(messageOf('core/v1.ConfigMap'), 'v1', 'ConfigMap', {
          metadata: { name: 'replaced' },
          data: { k: 'abc' },
        }),
      );
      for (const [i, bytes] of [
        [0xff, 0xfe, 0xfd],
        [0xed, 0xa0, 0x80],
        [0xc0, 0x80, 0x41],
      ].entries()) {
        const body = Buffer.from(object);
        Buffer.from(bytes).copy(body, body.indexOf('abc'));
        Buffer.from(String(i)).copy(body, body.indexOf('replaced') + 7);
        const created = await server.client.send('POST', maps, { body, contentType: protobuf });
        assert.equal(created.status, 201, created.body.toString());
        for (const accept of ['application/json', 'application/yaml', protobuf]) {
          const read = await server.client.get(`${maps}/replace${i}`, { accept });
          assert.ok(read.body.includes('\ufffd'), accept);
          assert.ok(!read.body.includes(Buffer.from(bytes)), accept);
        }
      }
      for (const escape of [String.raw`\ud800`, String.raw`\udc00\ud800`, String.raw`x\uDBFFx`]) {
        for (const validation of ['Ignore', 'Strict']) {
          const created = await server.client.send('POST', `${maps}?dryRun=All&fieldValidation=${validation}`, {
            body: `{"metadata":{"name":"lone"},"data":{"k":"${escape}"}}`,
          });
          assert.equal(created.status, 201, created.body.toString());
          assert.match(created.json.data.k, /\ufffd/);
          assert.ok(created.json.data.k.isWellFormed());
        }
      }
      await server.client.post(maps, { metadata: { name: 'lone' }, data: {} });
      for (const [type, body] of [
        ['merge', String.raw`{"data":{"k":"\ud800"}}`],
        ['strategic', String.raw`{"data":{"k":"\ud801"}}`],
        ['json', String.raw`[{"op":"add","path":"/data","value":{"k":"\ud802"}}]`],
      ] as const) {
        const patched = await server.client.patch(`${maps}/lone`, type, body);
        assert.equal(patched.status, 200, patched.body.toString());
        assert.equal(patched.json.data.k, '\ufffd');
      }
    }));

  it('keeps what is text, whatever it says', () =>
    whileServing(server, async () => {
      const k = 'a\u0000b\u2028\u202e\u{1f600}\ufeff\u007f"\\</script>';
      const created = await server.client.post(maps, {
        metadata: { name: 'odd', annotations: { odd: k } },
        data: { k },
      });
      assert.equal(created.status, 201, created.body.toString());
      for (const accept of ['application/json', protobuf]) {
        const read = await server.client.get(`${maps}/odd`, { accept });
        assert.equal(read.status, 200);
        if (accept === 'application/json') assert.equal(read.json.data.k, k);
        else assert.ok(read.body.includes(Buffer.from(k)));
      }
      const yaml = await server.client.get(`${maps}/odd`, { accept: 'application/yaml' });
      const back = await server.client.send('PUT', `${maps}/odd`, { body: yaml.body, contentType: 'application/yaml' });
      assert.equal(back.status, 200, back.body.toString());
      assert.equal(back.json.data.k, k);
    }));
});
