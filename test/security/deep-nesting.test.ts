import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const lists = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('deep nesting', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    assert.equal((await server.client.post(maps, { metadata: { name: 'flat' }, data: { k: 'v' } })).status, 201);
    assert.equal(
      (
        await server.client.send('POST', revisions, {
          body: `{"metadata":{"name":"deep"},"revision":1,"data":${nested(400)}}`,
        })
      ).status,
      201,
    );
  });
  after(() => server.stop());

  const tooDeep = { code: 400, reason: 'BadRequest', message: /exceeded max depth/ };
  const rejected = {
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
  };
  const bodies = [
    nested(10_000),
    lists(10_000),
    `{"metadata":{"labels":${nested(10_000)}}}`,
    `{"metadata":{"name":"x","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${nested(10_000)}}]}}`,
  ];

  it('is refused in objects', () =>
    whileServing(server, async () => {
      for (const validation of ['Ignore', 'Warn', 'Strict']) {
        for (const body of bodies)
          expectRefusal(await server.client.send('POST', `${maps}?fieldValidation=${validation}`, { body }), tooDeep);
        expectRefusal(
          await server.client.send('PUT', `${maps}/flat?fieldValidation=${validation}`, { body: bodies[2]! }),
          tooDeep,
        );
      }
      expectRefusal(await server.client.send('POST', maps, { body: '['.repeat(3_000_000) }), tooDeep);
      expectRefusal(await server.client.send('POST', maps, { body: '{"a":'.repeat(600_000) }), tooDeep);
      expectRefusal(
        await server.client.send('POST', revisions, {
          body: `{"metadata":{"name":"x"},"revision":1,"data":${nested(10_000)}}`,
        }),
        tooDeep,
      );
      // Options that cannot be read are a plain failure, as on stock servers.
      expectRefusal(await server.client.send('DELETE', `${maps}/flat`, { body: nested(10_000) }), {
        code: 500,
        message: /exceeded max depth/,
      });
    }));

  it('is refused in raw parts of protobuf bodies', () =>
    whileServing(server, async () => {
      const { messageOf } = await import('../../pkg/codec/messages.ts');
      const { encodeProtobuf } = await import('../../pkg/codec/protobuf/protobuf-codec.ts');
      const shallow = Buffer.from(
        encodeProtobuf(messageOf('apps/v1.ControllerRevision'), 'apps/v1', 'ControllerRevision', {
          metadata: { name: 'pb' },
          data: { a: 1 },
          revision: 1,
        }),
      );
      const contentType = 'application/vnd.kubernetes.protobuf';
      assert.equal(
        (await server.client.send('POST', `${revisions}?dryRun=All`, { body: shallow, contentType })).status,
        201,
      );
      const deep = encodeProtobuf(messageOf('apps/v1.ControllerRevision'), 'apps/v1', 'ControllerRevision', {
        metadata: { name: 'pb' },
        data: JSON.parse(nested(2000)),
        revision: 1,
      });
      expectRefusal(await server.client.send('POST', revisions, { body: deep, contentType }), tooDeep);
    }));

  it('is refused in patches of every type', () =>
    whileServing(server, async () => {
      for (const path of [`${maps}/flat`, `${revisions}/deep`]) {
        for (const type of ['merge', 'strategic'] as const) {
          expectRefusal(await server.client.patch(path, type, `{"data":${nested(10_000)}}`), tooDeep);
          expectRefusal(
            await server.client.patch(path, type, `{"metadata":{"annotations":{"a":${lists(10_000)}}}}`),
            tooDeep,
          );
        }
        expectRefusal(
          await server.client.patch(path, 'json', `[{"op":"add","path":"/data","value":${nested(10_000)}}]`),
          tooDeep,
        );
        expectRefusal(await server.client.patch(path, 'json', lists(10_000)), tooDeep);
        expectRefusal(
          await server.client.patch(path, 'json', [{ op: 'test', path: '/a'.repeat(10_000), value: 1 }]),
          rejected,
        );
      }
    }));

  it('cannot be built by patching', () =>
    whileServing(server, async () => {
      const path = `${revisions}/deep`;
      expectRefusal(
        await server.client.patch(path, 'json', [{ op: 'copy', from: '/data', path: `/data${'/a'.repeat(399)}/b` }]),
        rejected,
      );
      expectRefusal(
        await server.client.patch(path, 'json', [{ op: 'copy', from: '/data', path: `/data${'/a'.repeat(399)}` }]),
        rejected,
      );
      const wrap = Array.from({ length: 3000 }, () => [
        { op: 'add', path: '/spare', value: {} },
        { op: 'move', from: '/data', path: '/spare/a' },
        { op: 'move', from: '/spare', path: '/data' },
      ]).flat();
      expectRefusal(await server.client.patch(path, 'json', wrap), rejected);
      expectRefusal(
        await server.client.patch(path, 'json', [...wrap, { op: 'copy', from: '/data', path: '/copy' }]),
        rejected,
      );
      expectRefusal(await server.client.patch(path, 'json', wrap.slice(0, 150 * 3)), rejected);
    }));

  it('within the bound is kept in every form', () =>
    whileServing(server, async () => {
      const path = `${revisions}/deep`;
      for (const accept of [
        'application/json',
        'application/yaml',
        'application/vnd.kubernetes.protobuf',
        'application/json;as=Table;g=meta.k8s.io;v=v1',
      ]) {
        assert.equal((await server.client.get(path, { accept })).status, 200, accept);
        assert.equal((await server.client.get(revisions, { accept })).status, 200, accept);
      }
      for (const [type, body] of [
        ['merge', `{"data":${nested(400)}}`],
        ['strategic', '{"metadata":{"labels":{"a":"b"}}}'],
      ] as const) {
        const merged = await server.client.patch(path, type, body);
        assert.equal(merged.status, 200, merged.body.toString());
        assert.equal(JSON.stringify(merged.json.data), nested(400));
      }
      assert.equal(
        (
          await server.client.patch(
            path,
            'json',
            `[{"op":"replace","path":"/data","value":${nested(400)}},{"op":"test","path":"/data","value":${nested(400)}},${'{"op":"test","path":"/revision","value":1},'.repeat(500)}{"op":"test","path":"/revision","value":1}]`,
          )
        ).status,
        200,
      );
    }));
});
