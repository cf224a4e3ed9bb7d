import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';
import { Http2Connection } from './http2-connection.ts';
import { RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const unauthorized = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };

describe('unauthenticated requests', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ args: ['--anonymous-auth=false'] });
  });
  after(() => server.stop());

  const paths = [
    maps,
    `${maps}?watch=true`,
    '/api',
    '/apis',
    '/openapi/v2',
    '/metrics',
    '/none',
    '/api/v1//x',
    `${maps}/a%2fb`,
    '/api/v1/nothing',
  ];

  it('get 401 and nothing else, wherever they ask', () =>
    whileServing(server, async () => {
      const { token } = server.client;
      const headers = [
        '',
        'Bearer',
        'Bearer ',
        'Bearer wrong',
        `Bearer ${token}x`,
        `Bearer ${token.slice(0, -1)}`,
        `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`,
        token,
        `Bearer ${token} ${token}`,
        `Bearer ${'x'.repeat(60_000)}`,
        `Token ${token}`,
        'Bearer null',
        'Bearer undefined',
        'Bearer __proto__',
      ];
      for (const authorization of headers)
        expectRefusal(await server.client.get(maps, { authorization }), unauthorized);
      for (const path of paths) {
        const answer = await server.client.get(path, { authorization: 'Bearer wrong' });
        expectRefusal(answer, unauthorized);
        assert.ok(!answer.body.includes(token));
      }
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expectRefusal(
          await server.client.send(method, maps, {
            headers: { authorization: '' },
            body: '{"metadata":{"name":"stranger"}}',
          }),
          unauthorized,
        );
      assert.equal((await server.client.get(`${maps}/stranger`)).status, 404);
    }));

  it('learn nothing from bodies that cannot be read', () =>
    whileServing(server, async () => {
      for (const body of ['{', Buffer.alloc(4 * 1024 * 1024), '[['.repeat(20_000)])
        expectRefusal(
          await server.client.send('POST', maps, { headers: { authorization: 'Bearer wrong' }, body }),
          unauthorized,
        );
      expectRefusal(
        await server.client.send('POST', maps, {
          headers: { authorization: 'Bearer wrong' },
          body: '{}',
          contentType: 'nonsense',
        }),
        unauthorized,
      );
    }));

  it('find no other place for a token', () =>
    whileServing(server, async () => {
      const { token } = server.client;
      for (const name of ['access_token', 'token', 'authorization', 'bearer'])
        expectRefusal(await server.client.get(`${maps}?${name}=${token}`, { authorization: '' }), unauthorized);
      const places = {
        cookie: `token=${token}`,
        'x-auth-token': token,
        'proxy-authorization': `Bearer ${token}`,
        'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`,
      };
      for (const [name, value] of Object.entries(places))
        expectRefusal(await server.client.get(maps, { authorization: '', [name]: value }), unauthorized);
    }));

  it('with two tokens are who the first one says', () =>
    whileServing(server, async () => {
      const { token, url } = server.client;
      for (const [first, second, status] of [
        ['wrong', token, 401],
        [token, 'wrong', 200],
      ] as const) {
        const connection = await RawConnection.open(url);
        connection.write(
          `GET ${maps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${first}\r\nauthorization: Bearer ${second}\r\n\r\n`,
        );
        assert.equal((await connection.answer()).status, status);
        connection.destroy();
      }
      const connection = await Http2Connection.open(server);
      const answer = await connection.send('GET', maps, undefined, { authorization: 'Bearer wrong' });
      expectRefusal(answer, unauthorized);
      connection.close();
    }));

  it('are all answered when they come by the hundred', () =>
    whileServing(server, async () => {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, i) =>
          server.client.get(paths[i % paths.length]!, { authorization: `Bearer guess-${i}` }),
        ),
      );
      assert.ok(answers.every((a) => a.status === 401));
      assert.equal(server.running.server.watches.size, 1, 'the only watch is the one of the client that is let in');
    }));
});
