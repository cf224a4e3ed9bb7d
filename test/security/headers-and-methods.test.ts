import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';
import { Http2Connection } from './http2-connection.ts';
import { answerTo, head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const notAllowed = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
};
const notAcceptable = { code: 406, reason: 'NotAcceptable', message: '406: Not Acceptable' };

describe('tricks with headers and methods', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    await server.client.post(maps, { metadata: { name: 'm' }, data: { a: 'b' } });
  });
  after(() => server.stop());

  const raw = (text: string) => answerTo(server.client.url, text);

  it('methods that no resource has', () =>
    whileServing(server, async () => {
      for (const method of ['OPTIONS', 'PROPFIND', 'TRACE', 'LOCK', 'QUERY', 'REPORT']) {
        const answer = await raw(head(method, `${maps}/m`, server.client.token));
        assert.ok(answer.status === 405 || answer.status === 400, `${method}: ${answer.status}`);
        if (answer.status === 405) expectRefusal(answer, notAllowed);
      }
      for (const [method, path] of [
        ['POST', `${maps}/m`],
        ['PUT', maps],
        ['PATCH', maps],
      ] as const)
        expectRefusal(
          await server.client.send(method, path, {
            body: '{}',
            contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          }),
          notAllowed,
        );
      const connection = await Http2Connection.open(server);
      for (const method of ['FOO', 'get', 'PROPFIND', '__proto__', 'constructor']) {
        const answer = await connection.send(method, `${maps}/m`);
        assert.equal(answer.status, 405, `${method}: ${answer.body}`);
      }
      connection.close();
      const override = await server.client.send('GET', `${maps}/m`, {
        headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' },
      });
      assert.equal(override.json.data.a, 'b');
    }));

  it('what is no HTTP', () =>
    whileServing(server, async () => {
      for (const text of [
        'FOO / HTTP/1.1\r\nhost: x\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        '\u0000\u0001\u0002\r\n\r\n',
        'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n',
        'GET / HTTP/1.1\r\nhost: x\r\n: x\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
      ]) {
        const answer = await raw(text);
        expectRefusal(answer, { code: 400, reason: 'BadRequest', message: 'the request could not be read' });
        assert.equal(answer.headers['connection'], 'close');
      }
    }));

  it('chunks that lie', () =>
    whileServing(server, async () => {
      for (const chunk of ['zz\r\n', 'fffffffffffffffff\r\n', '-1\r\n', '5\r\nabc']) {
        const connection = await RawConnection.open(server.client.url);
        connection.write(
          head('POST', maps, server.client.token, {
            'content-type': 'application/json',
            'transfer-encoding': 'chunked',
          }),
        );
        connection.write(chunk);
        if (chunk.startsWith('5')) connection.socket.end();
        const text = await connection.untilClosed(5000);
        assert.ok(text === '' || text.startsWith('HTTP/1.1 400 '), text.slice(0, 100));
      }
    }));

  it('two requests for one: the second is its own', () =>
    whileServing(server, async () => {
      const connection = await RawConnection.open(server.client.url);
      const smuggled = head('GET', '/api/v1/namespaces/kube-system', 'stolen');
      connection.write(
        `${head('GET', `${maps}/m`, server.client.token, { 'content-length': String(smuggled.length) })}${smuggled}${head('GET', '/version', server.client.token, { connection: 'close' })}`,
      );
      const text = await connection.untilClosed();
      assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 2);
      assert.ok(!text.includes('kube-system') && text.includes('gitVersion'));
    }));

  it('large headers', () =>
    whileServing(server, async () => {
      assert.equal((await server.client.get(`${maps}/m`, { 'x-large': 'x'.repeat(64 * 1024) })).status, 200);
      const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x-h${i}`, 'v'.repeat(100)]));
      assert.equal((await server.client.get(`${maps}/m`, many)).status, 200);
      expectRefusal(await server.client.get(`${maps}/m`, { 'x-large': 'x'.repeat(400 * 1024) }), {
        code: 431,
        message: 'the request line and headers are too large: limit is 262144',
      });
      const connection = await Http2Connection.open(server);
      await connection
        .send('GET', `${maps}/m`, undefined, { 'x-large': 'x'.repeat(32 * 1024) })
        .then((a) => assert.equal(a.status, 200));
      connection.close();
    }));

  it('Accept headers', () =>
    whileServing(server, async () => {
      for (const accept of [
        'nonsense',
        'text/html',
        ';;;',
        ',,,',
        'application/__proto__',
        'a/b,'.repeat(10_000),
        `application/json;${'a=b;'.repeat(10_000)}`,
        `${'*/*;q=0,'.repeat(10_000)}`,
      ]) {
        expectRefusal(await server.client.get(`${maps}/m`, { accept }), notAcceptable);
      }
      for (const accept of [
        'application/json;as=Table',
        'application/json;as=Table;g=other;v=v1',
        'application/json;as=Nonsense;g=meta.k8s.io;v=v1',
        'application/json;q=0',
      ]) {
        expectRefusal(await server.client.get(`${maps}/m`, { accept }), {
          ...notAcceptable,
          message: /^only the following media types are accepted: application\/json, /,
        });
      }
      for (const accept of [
        'application/json;q=nonsense, */*',
        'application/json;as=Table;g=meta.k8s.io;v=v9,application/json',
        '*/*',
        '',
      ])
        assert.equal((await server.client.get(`${maps}/m`, { accept })).status, 200, accept);
      // A request that cannot be answered changes nothing.
      expectRefusal(
        await server.client.send('POST', maps, {
          body: '{"metadata":{"name":"unacceptable"}}',
          headers: { accept: 'text/html' },
        }),
        notAcceptable,
      );
      assert.equal((await server.client.get(`${maps}/unacceptable`)).status, 404);
      for (let i = 0; i < 3000; i++)
        if (i % 100 === 0)
          assert.equal((await server.client.get(`${maps}/m`, { accept: `application/json;v=${i}` })).status, 200);
    }));

  it('other headers', () =>
    whileServing(server, async () => {
      for (const headers of [
        { 'accept-encoding': 'gzip,'.repeat(10_000) },
        { 'accept-encoding': `gzip;q=${'0'.repeat(50_000)}1` },
        { 'if-none-match': '"x",'.repeat(10_000) },
        { upgrade: 'websocket', connection: 'Upgrade' },
        { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABkAAQAAP__' },
        { 'transfer-encoding': 'chunked' },
        { 'content-type': 'x'.repeat(50_000) },
        { 'x-forwarded-for': '127.0.0.1', 'x-remote-user': 'system:admin', 'x-remote-group': 'system:masters' },
        { range: 'bytes=0-1' },
        { cookie: 'x='.repeat(10_000) },
      ]) {
        const connection = await RawConnection.open(server.client.url);
        connection.write(
          head('GET', `${maps}/m`, server.client.token, headers as unknown as Record<string, string>) +
            ('transfer-encoding' in headers ? '0\r\n\r\n' : ''),
        );
        const answer = await connection.answer();
        assert.equal(answer.status, 200, `${JSON.stringify(headers).slice(0, 80)}: ${answer.body}`);
        assert.equal(answer.json.data.a, 'b');
        connection.destroy();
      }
      assert.equal(
        (await raw(`GET /version HTTP/1.0\r\nauthorization: Bearer ${server.client.token}\r\n\r\n`)).status,
        200,
      );
      const expecting = await RawConnection.open(server.client.url);
      expecting.write(
        head('POST', `${maps}?dryRun=All`, server.client.token, {
          expect: '100-continue',
          'content-type': 'application/json',
          'content-length': '29',
        }),
      );
      await expecting.until((text) => text.startsWith('HTTP/1.1 100 '));
      expecting.write('{"metadata":{"name":"expect"}}'.slice(0, 29));
      await expecting.until((text) => text.includes('HTTP/1.1 400') || text.includes('HTTP/1.1 201'));
      expecting.destroy();
    }));
});
