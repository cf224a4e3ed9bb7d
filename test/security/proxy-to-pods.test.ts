import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

describe('proxies to pods and services', () => {
  let server: TestServer;
  const network = agentNetwork();
  const base = '/api/v1/namespaces/default';
  const seen: IncomingMessage[] = [];
  const web = createServer((request, response) => {
    seen.push(request);
    if (request.url === '/switch') {
      request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    if (request.url!.startsWith('/raw/')) {
      request.socket.end(Buffer.from(request.url!.slice('/raw/'.length), 'base64url'));
      return;
    }
    const length = { bytes: 0 };
    request.on('data', (part: Buffer) => {
      length.bytes += part.length;
    });
    request.on('end', () =>
      response
        .writeHead(200, { 'access-control-allow-origin': '*', connection: 'x-hop', 'x-hop': 'v' })
        .end(`${request.method} ${request.url} ${length.bytes}`),
    );
  });
  let port: number;

  before(async () => {
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    port = (web.address() as AddressInfo).port;
    server = await startTestServer({ network });
    const { client } = server;
    for (const [name, podIP] of [
      ['web', '192.0.2.20'],
      ['link', '169.254.169.254'],
      ['self', '127.0.0.1'],
    ] as const) {
      await client.post(`${base}/pods`, {
        metadata: { name },
        spec: { containers: [{ name: 'main', image: 'i:1', ports: [{ containerPort: port }] }] },
      });
      await client.patch(`${base}/pods/${name}/status`, 'merge', { status: { podIP, podIPs: [{ ip: podIP }] } });
    }
    await client.post(`${base}/services`, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } });
    const pod = { kind: 'Pod', namespace: 'default', name: 'web' };
    const made = await client.post(`${base}/endpoints`, {
      metadata: { name: 'web' },
      subsets: [
        {
          ports: [{ name: 'http', port }],
          addresses: [{ ip: '192.0.2.77', targetRef: pod }, { ip: '192.0.2.78' }, { ip: '192.0.2.20', targetRef: pod }],
        },
      ],
    });
    assert.equal(made.status, 201);
  });
  after(async () => {
    await server.stop();
    web.closeAllConnections();
    web.close();
  });

  it('hand on methods, paths and bodies of any size', async () => {
    const { client } = server;
    assert.equal((await client.get(`${base}/pods/web/proxy/a%2Fb/?q=1`)).body.toString(), 'GET /a%2Fb/?q=1 0');
    assert.equal((await client.get(`${base}/pods/web/proxy//a/../b//c/?q=//`)).body.toString(), 'GET /b/c/?q=// 0');
    assert.equal(
      (
        await client.send('PUT', `${base}/pods/web:${port}/proxy/up`, { body: Buffer.alloc(8 * 1024 * 1024) })
      ).body.toString(),
      'PUT /up 8388608',
    );
    assert.equal((await client.send('OPTIONS', `${base}/pods/web/proxy/o`)).body.toString(), 'OPTIONS /o 0');
    const { headers } = await client.get(`${base}/services/web:http/proxy/`);
    assert.deepEqual([headers['access-control-allow-origin'], headers['x-hop']], [undefined, undefined]);
    const moved = await client.get(`${base}/services/web:http/proxy?a=b`);
    assert.deepEqual([moved.status, moved.headers.location], [301, `${base}/services/web:http/proxy/?a=b`]);
    assert.ok(seen.every((request) => request.headers.authorization === undefined));
  });

  it('hand on a body as one, whatever its client says of it', async () => {
    const hidden = 'POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    const length = String(hidden.length);
    const cases: readonly (readonly [method: string, headers: Record<string, string>, body: string])[] = [
      ['GET', { connection: 'content-length', 'content-length': length }, hidden],
      ['DELETE', { connection: 'Content-Length, keep-alive', 'content-length': length }, hidden],
      ['DELETE', { connection: 'transfer-encoding', 'transfer-encoding': 'chunked' }, chunk],
      ['OPTIONS', { connection: 'content-length, host', 'content-length': length }, hidden],
      ['POST', { connection: 'content-length', 'content-length': length }, hidden],
      ['GET', { 'transfer-encoding': 'chunked' }, chunk],
    ];
    for (const [method, headers, body] of cases) {
      const before = seen.length;
      const connection = await RawConnection.open(server.client.url);
      connection.write(head(method, `${base}/pods/web/proxy/open`, server.client.token, headers) + body);
      await connection.until((text) => text.includes(`${method} /open ${length}`));
      connection.destroy();
      assert.deepEqual(
        seen.slice(before).map(({ method: seenMethod, url, headers: { host } }) => [seenMethod, url, host]),
        [[method, '/open', 'localhost']],
      );
    }
  });

  it('reach pods alone, at addresses that are their own', async () => {
    const before = network.dialled.length;
    for (const name of ['link', 'self'])
      assert.deepEqual((await server.client.get(`${base}/pods/${name}/proxy/`)).json.message, 'address not allowed');
    assert.equal(network.dialled.length, before);
    for (let i = 0; i < 8; i++) assert.equal((await server.client.get(`${base}/services/web:80/proxy/`)).status, 200);
    assert.deepEqual([...new Set(network.dialled.slice(before))], [`192.0.2.20:${port}`]);
  });

  it('end where a pod switches protocols of its own accord', async () => {
    const connection = await RawConnection.open(server.client.url);
    connection.write(head('GET', `${base}/pods/web/proxy/switch`, server.client.token, { connection: 'close' }));
    const text = await connection.untilClosed();
    assert.match(text, /^HTTP\/1\.1 503 [^]*backend tried to switch protocol/);
    assert.equal(text.match(/HTTP\/1\.1/g)!.length, 1);
  });

  it('answer over every protocol whatever a pod says', async () => {
    const raw = (text: string): string =>
      `${base}/pods/web/proxy/raw/${Buffer.from(text, 'latin1').toString('base64url')}`;
    const odd: readonly (readonly [answer: string, status: number])[] = [
      ['HTTP/1.1 700 Odd\r\nContent-Length: 2\r\n\r\nok', 503],
      ['HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok', 503],
      ['HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 503],
      [
        'HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nAuthorization: a\r\nAuthorization: b\r\nContent-Length: 2\r\n\r\nok',
        200,
      ],
      ['HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n', 302],
      ['HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', 204],
      ['HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nok', 205],
      ['HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n', 304],
      ['HTTP/1.1 200 OK\r\nConnection: close\r\nX-A: \xe9\r\n\r\nok', 200],
      ['HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\nContent-Length: 2\r\n\r\nok', 200],
      ['HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n', 200],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\nok\r\n0\r\n\r\n', 503],
      ['garbage\r\n\r\n', 503],
      ['', 503],
    ];
    const connection = await Http2Connection.open(server);
    for (const [text, status] of odd) {
      assert.equal((await server.client.get(raw(text))).status, status, text);
      assert.equal((await connection.send('GET', raw(text))).status, status, `HTTP/2: ${text}`);
    }
    connection.close();
    assert.deepEqual(server.errors, []);
  });

  it('say which request it was, and who may keep the answer, before a pod does', async () => {
    const { headers } = await server.client.get(
      `${base}/pods/web/proxy/raw/${Buffer.from('HTTP/1.1 200 OK\r\nAudit-Id: forged\r\nCache-Control: public\r\nContent-Length: 0\r\n\r\n').toString('base64url')}`,
      { 'audit-id': 'asked' },
    );
    assert.deepEqual([headers['audit-id'], headers['cache-control']], ['asked', 'no-cache, private, public']);
  });

  it('show pages whose links stay behind the proxy', async () => {
    const page = '<a href="/a">a</a><script>"<a href=\'/b\'>"</script><img src="c">';
    const { headers, body } = await server.client.get(
      `${base}/services/web:http/proxy/raw/${Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`).toString('base64url')}`,
    );
    assert.deepEqual(
      [headers['content-length'], body.toString()],
      [undefined, page.replace('"/a"', `"${base}/services/web:http/proxy/a"`)],
    );
  });

  it('report that the pod does not answer', async () => {
    const { status, json } = await server.client.get(`${base}/pods/web:1/proxy/`);
    assert.deepEqual(
      [status, json.message],
      [503, 'error trying to reach service: dial tcp 192.0.2.20:1: connect: connection refused'],
    );
  });
});
