import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const path = `${maps}/target`;
const revision = '/apis/apps/v1/namespaces/default/controllerrevisions/wide';
const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
};

describe('hostile patches', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    await server.client.post(maps, { metadata: { name: 'target', finalizers: ['example.com/a'] }, data: { a: 'x' } });
    const wide = `{"metadata":{"name":"wide"},"revision":1,"data":{"list":[${'0,'.repeat(300_000)}0]}}`;
    assert.equal(
      (await server.client.send('POST', revision.slice(0, revision.lastIndexOf('/')), { body: wide })).status,
      201,
    );
  });
  after(() => server.stop());

  const json = (operations: unknown, at = path) => server.client.patch(at, 'json', operations);
  const repeat = (count: number, ...operations: object[]) => Array.from({ length: count }, () => operations).flat();
  const unchanged = async () => assert.deepEqual((await server.client.get(path)).json.data, { a: 'x' });

  it('with too many operations are refused', () =>
    whileServing(server, async () => {
      const message = (count: number) => ({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: `Request entity too large: The allowed maximum operations in a JSON patch is 10000, got ${count}`,
      });
      expectRefusal(await json(repeat(50_000, { op: 'test', path: '/data/a', value: 'x' })), message(50_000));
      expectRefusal(await json(repeat(10_001, { op: 'add', path: '/data/a', value: 'y' })), message(10_001));
      expectRefusal(await json(`[${'{},'.repeat(900_000)}{}]`), message(900_001));
      assert.equal((await json(repeat(10_000, { op: 'test', path: '/data/a', value: 'x' }))).status, 200);
      await unchanged();
    }));

  it('that grow the document are refused', () =>
    whileServing(server, async () => {
      const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/b${i}` }));
      expectRefusal(await json(doubling), rejected);
      expectRefusal(
        await json([
          { op: 'add', path: '/data/big', value: 'x'.repeat(500_000) },
          ...repeat(5000, { op: 'copy', from: '/data/big', path: '/data/other' }),
        ]),
        rejected,
      );
      expectRefusal(
        await json(repeat(10_000, { op: 'copy', from: '/metadata', path: '/metadata/annotations' })),
        rejected,
      );
      expectRefusal(await json(repeat(30, { op: 'copy', from: '', path: '/data/self' })), {
        code: 422,
        reason: 'Invalid',
        message: /cannot unmarshal object/,
      });
      expectRefusal(
        await json(Array.from({ length: 30 }, (_, i) => ({ op: 'copy', from: '', path: `/data/self${i}` }))),
        rejected,
      );
      await unchanged();
    }));

  it('that work on long lists end in time', () =>
    whileServing(server, async () => {
      const front = await json(repeat(9_999, { op: 'add', path: '/data/list/0', value: 1 }), revision);
      assert.ok([200, 422, 504].includes(front.status), front.body.subarray(0, 300).toString());
      const small = await json(repeat(400, { op: 'remove', path: '/data/list/0' }), revision);
      assert.ok([200, 422].includes(small.status), small.body.subarray(0, 300).toString());
      expectRefusal(await json([{ op: 'add', path: '/data/list/999999999999', value: 1 }], revision), rejected);
      for (const index of ['-', '-5', '01', '1e3', '0x1', '+1', ' 1', '1.5', 'NaN', 'length', '']) {
        expectRefusal(
          await json([{ op: 'replace', path: `/metadata/finalizers/${index}`, value: 'example.com/b' }]),
          rejected,
        );
      }
    }));

  it('with malformed operations are refused', () =>
    whileServing(server, async () => {
      for (const operations of [
        { op: 'add' },
        '"x"',
        7,
        [7],
        ['x'],
        [[]],
        [{ op: 1 }],
        [{ op: 'add', path: 1 }],
        [{ op: 'move', path: '/a', from: {} }],
      ]) {
        expectRefusal(await json(operations), {
          code: 400,
          reason: 'BadRequest',
          message: /^error decoding patch: json: cannot unmarshal/,
        });
      }
      for (const operation of [
        {},
        { op: 'nonsense', path: '/a' },
        { op: 'add' },
        { op: 'add', path: 'no-slash', value: 1 },
        { op: 'copy', path: '/data/b' },
        { op: 'move', from: '/data/none', path: '/data/b/c' },
        { op: 'remove', path: '/none' },
        { op: 'test', path: '/data/a', value: 'y' },
        { op: 'move', from: '/metadata', path: '/metadata/labels' },
      ]) {
        expectRefusal(await json([operation]), rejected);
      }
      for (const operation of [
        { op: 'remove', path: '/metadata' },
        { op: 'replace', path: '', value: [] },
        { op: 'replace', path: '/metadata', value: 'x' },
        { op: 'add', path: '', value: null },
        { op: 'replace', path: '/data', value: [1] },
      ]) {
        const answer = await json([operation]);
        assert.ok([200, 400, 422].includes(answer.status), `${JSON.stringify(operation)}: ${answer.body}`);
      }
      await server.client.patch(path, 'merge', { data: { a: 'x' } });
      await unchanged();
    }));

  it('of the strategic type with bad directives are refused', () =>
    whileServing(server, async () => {
      const strategic = (body: unknown, at = path) => server.client.patch(at, 'strategic', body);
      await server.client.post('/api/v1/namespaces/default/pods', {
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
      const pod = '/api/v1/namespaces/default/pods/p';
      const bad: readonly unknown[] = [
        { data: { $patch: 'nonsense' } },
        { data: { $patch: { a: 1 } } },
        { data: { $patch: null } },
        { metadata: { $retainKeys: 'x' } },
        { metadata: { $retainKeys: [], labels: { a: 'b' } } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } },
        { metadata: { $deleteFromPrimitiveList: ['x'] } },
        { metadata: { '$setElementOrder/finalizers': 'x' } },
        { metadata: { $setElementOrder: [] } },
        { metadata: { '$setElementOrder/finalizers': [{}], finalizers: ['example.com/b'] } },
      ];
      for (const body of bad) {
        const answer = await strategic(body);
        assert.ok(
          (answer.status >= 400 && answer.status < 500) ||
            answer.status === 200 ||
            (answer.status === 500 && answer.json.reason !== 'InternalError'),
          `${JSON.stringify(body)}: ${answer.body}`,
        );
        assert.ok(answer.body.length < 5000);
      }
      const items: readonly unknown[] = [
        [{ $patch: 'delete' }],
        [{ $patch: 'nonsense', name: 'c' }],
        [{ image: 'x' }],
        [7],
        ['x', {}],
        [[]],
        [null],
        [{ name: {} }],
        [{ name: ['c'], image: 'y' }],
        [{ $patch: 'merge', name: 'c' }],
      ];
      for (const containers of items) {
        const answer = await strategic({ spec: { containers } }, pod);
        assert.ok(answer.status >= 400 && answer.status <= 500, `${JSON.stringify(containers)}: ${answer.body}`);
        assert.ok(!(answer.status === 500 && answer.json.reason === 'InternalError'), answer.body.toString());
      }
      const merged = await strategic(
        {
          spec: {
            containers: Array.from({ length: 20_000 }, (_, i) => ({ name: `c${i}`, $patch: 'delete' })),
            '$setElementOrder/containers': Array.from({ length: 20_000 }, (_, i) => ({ name: `c${i}` })),
          },
        },
        pod,
      );
      assert.ok([200, 422].includes(merged.status), merged.body.subarray(0, 300).toString());
      const finalizers = await strategic({
        metadata: { '$deleteFromPrimitiveList/finalizers': Array.from({ length: 100_000 }, (_, i) => `f${i}`) },
      });
      assert.equal(finalizers.status, 200, finalizers.body.subarray(0, 300).toString());
      await unchanged();
    }));

  it('of no known type are refused', () =>
    whileServing(server, async () => {
      for (const contentType of [
        'application/json',
        'application/yaml',
        'text/plain',
        'application/json-patch+json2',
      ]) {
        expectRefusal(await server.client.send('PATCH', path, { body: '{}', contentType }), {
          code: 415,
          reason: 'UnsupportedMediaType',
        });
      }
    }));

  it('that many clients send at a time are all answered', () =>
    whileServing(server, async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          json(repeat(3000, { op: 'add', path: '/metadata/annotations', value: { i: String(i) } })),
        ),
      );
      for (const answer of answers)
        assert.ok([200, 409, 504].includes(answer.status), answer.body.subarray(0, 300).toString());
      assert.ok(answers.some((a) => a.status === 200));
    }));
});
