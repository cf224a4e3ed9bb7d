import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps } from '../../api/core/tokens.ts';
import { StatusError, tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import { TcpProxy } from '../../../test/fixtures/tcp-proxy.ts';
import { CLIENT_AUTH, SERVER_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { answerJson, type HttpsService, startHttpsService } from '../../net/https-service-testing.ts';
import type { ClientCredentials } from '../client-credentials.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import { ConnectionError, type WatchEvent } from './client.ts';
import { RestClient, type RestClientOptions } from './rest-client.ts';

const NAME = { namespace: 'n', name: 'a' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };

describe('RestClient', () => {
  let authority: TestAuthority;
  let user: TestAuthority;
  let service: HttpsService;
  let dir: string;
  const clients: RestClient[] = [];

  before(async () => {
    authority = await TestAuthority.create();
    user = await authority.sign({ subject: 'CN=alice', extendedKeyUsages: [CLIENT_AUTH] });
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-rest-client-'));
  });
  beforeEach(async () => {
    service = await startHttpsService((_request, response) => answerJson(response, OBJECT), { authority });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await service.close();
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  function open(
    credentials: ClientCredentials = {},
    config: Partial<ClusterConfig> = {},
    options: RestClientOptions = {},
  ): RestClient {
    const complete = { server: new URL(service.url), ca: authority.pem, credentials, ...config };
    const client = new RestClient(complete, options);
    clients.push(client);
    return client;
  }

  describe('credentials', () => {
    it('are a certificate', async () => {
      await service.close();
      const settings = { authority, clientCa: authority.pem };
      service = await startHttpsService((_request, response) => answerJson(response, OBJECT), settings);
      await open({ certificate: user.pem, key: user.keyPem }).get(configMaps, NAME);
      assert.equal(service.received.at(-1)!.clientSubject, 'CN=alice');
      await assert.rejects(open().get(configMaps, NAME), ConnectionError);
    });

    it('are a token or a password', async () => {
      await open({ token: 't' }).get(configMaps, NAME);
      assert.equal(service.received.at(-1)!.headers.authorization, 'Bearer t');
      await open({ username: 'u', password: 'p' }).get(configMaps, NAME);
      assert.equal(service.received.at(-1)!.headers.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`);
    });

    it('come from a token file, which is read again when the server rejects the token', async () => {
      const tokenFile = path.join(dir, 'token');
      writeFileSync(tokenFile, 'one\n');
      const client = open({ token: 'zero', tokenFile });
      await client.get(configMaps, NAME);
      writeFileSync(tokenFile, 'two\n');
      await client.get(configMaps, NAME);
      service.answerWith((_request, response) => answerJson(response, {}, 401));
      await assert.rejects(client.get(configMaps, NAME), (error: StatusError) => error.code === 401);
      service.answerWith((_request, response) => answerJson(response, OBJECT));
      await client.get(configMaps, NAME);
      const shown = service.received.map(({ headers }) => headers.authorization);
      assert.deepEqual(shown, ['Bearer one', 'Bearer one', 'Bearer one', 'Bearer two']);
    });

    it('may be those of a user who impersonates another', async () => {
      const impersonate = { name: 'bob', uid: '7', groups: ['a', 'b'], extra: { 'example.com/(x)': ['1', '2'] } };
      await open({ token: 't', impersonate }).get(configMaps, NAME);
      const { headers } = service.received[0]!;
      assert.deepEqual(
        [headers['impersonate-user'], headers['impersonate-uid'], headers['impersonate-group']],
        ['bob', '7', 'a, b'],
      );
      assert.equal(headers['impersonate-extra-example.com%2f%28x%29'], '1, 2');
    });
  });

  for (const protocol of ['http/1.1', 'h2'] as const) {
    it(`never leaves out who is impersonated (${protocol})`, () => {
      for (const impersonate of [{ name: 'bob\n' }, { name: 'b\u0000b' }, { name: 'bob', groups: ['ü\u0142'] }]) {
        assert.throws(() => open({ token: 't', impersonate }, {}, { protocol }), TypeError);
      }
    });
  }

  describe('trust', () => {
    it('is that of the authority, and of the name in the certificate', async () => {
      const other = await TestAuthority.create('CN=other');
      await assert.rejects(open({}, { ca: other.pem }).get(configMaps, NAME), ConnectionError);
      await assert.rejects(
        open({}, { serverName: 'else.example' }).get(configMaps, NAME),
        /ERR_TLS_CERT_ALTNAME_INVALID/,
      );
      await open({}, { serverName: 'localhost' }).get(configMaps, NAME);
      assert.equal(service.received.at(-1)!.serverName, 'localhost');
    });

    it('is not asked for where the cluster is insecure', async () => {
      const { ca: _, ...config }: ClusterConfig = {
        server: new URL(service.url),
        ca: '',
        insecureSkipTlsVerify: true,
        credentials: {},
      };
      const client = new RestClient(config);
      clients.push(client);
      assert.equal((await client.get(configMaps, NAME)).kind, 'ConfigMap');
    });
  });

  for (const protocol of ['http/1.1', 'h2'] as const) {
    it(`asks right before it writes, when the connection is ready (${protocol})`, async () => {
      await service.close();
      service = await startHttpsService((_request, response) => answerJson(response, OBJECT), {
        authority,
        http2: protocol === 'h2',
      });
      const proxy = await TcpProxy.start(service.port);
      try {
        const server = new URL(`https://127.0.0.1:${proxy.port}`);
        let isAllowed = true;
        const beforeWrite = (): void => {
          if (!isAllowed) throw new Error('no longer allowed');
        };
        const client = open({}, { server }, { protocol, beforeWrite });
        proxy.hold();
        const created = client.create(configMaps, OBJECT);
        isAllowed = false;
        proxy.release();
        await assert.rejects(created, /no longer allowed/);
        assert.deepEqual(service.received, []);
        await client.get(configMaps, NAME);
        await assert.rejects(client.delete(configMaps, NAME), /no longer allowed/);
        isAllowed = true;
        await client.update(configMaps, OBJECT);
        assert.deepEqual(
          service.received.map(({ method }) => method),
          ['GET', 'PUT'],
        );
      } finally {
        await proxy.stop();
      }
    });
  }

  describe('requests', () => {
    it('name the program and stand below the path of the server', async () => {
      const client = open({}, { server: new URL(`${service.url}/base/`) }, { userAgent: 'probe/1' });
      await client.list(configMaps, { namespace: 'n/x', labelSelector: 'a=b,c in (d)', limit: 5 });
      const { path: asked, headers } = service.received[0]!;
      assert.equal(asked, '/base/api/v1/namespaces/n%2Fx/configmaps?labelSelector=a%3Db%2Cc%20in%20(d)&limit=5');
      assert.equal(headers['user-agent'], 'probe/1');
    });

    it('keep their connection', async () => {
      const client = open();
      for (let i = 0; i < 5; i++) await client.get(configMaps, NAME);
      assert.equal(new Set(service.received.map(({ clientPort }) => clientPort)).size, 1);
    });

    it('wait for their turn where there is a rate', async () => {
      const pauses: number[] = [];
      const pause = async (delayMs: number): Promise<void> => void pauses.push(delayMs);
      const client = open({}, {}, { qps: 0.001, burst: 2, pause });
      for (let i = 0; i < 4; i++) await client.get(configMaps, NAME);
      assert.deepEqual(
        pauses.map((ms) => Math.ceil(ms / 1_000_000)),
        [1, 2],
      );
    });

    it('are sent again after 429 with Retry-After, writes too', async () => {
      const pauses: number[] = [];
      const pause = async (delayMs: number): Promise<void> => void pauses.push(delayMs);
      service.answerWith((_request, response) => {
        if (service.received.length > 2) return answerJson(response, OBJECT, 201);
        response.setHeader('retry-after', String(service.received.length + 1));
        answerJson(response, tooManyRequests('later', 1).status, 429);
      });
      await open({}, {}, { pause }).create(configMaps, { metadata: { name: 'a', namespace: 'n' } });
      assert.deepEqual([pauses, service.received.length], [[2000, 3000], 3]);
      assert.equal(new Set(service.received.map(({ body }) => body)).size, 1);
    });

    it('are not sent again for ever, nor after other answers', async () => {
      let code = 429;
      service.answerWith((_request, response) => {
        response.setHeader('retry-after', '1');
        answerJson(response, {}, code);
      });
      const client = open({}, {}, { pause: () => Promise.resolve() });
      await assert.rejects(client.get(configMaps, NAME), (error: StatusError) => error.code === 429);
      assert.equal(service.received.length, 10);
      code = 503;
      await assert.rejects(client.get(configMaps, NAME), (error: StatusError) => error.code === 503);
      assert.equal(service.received.length, 11);
    });

    it('stop waiting by their signal', async () => {
      service.answerWith((_request, response) => {
        response.setHeader('retry-after', '3600');
        answerJson(response, {}, 429);
        setTimeout(() => ended.abort(reason), 10);
      });
      const ended = new AbortController();
      const reason = new Error('enough');
      await assert.rejects(open().get(configMaps, NAME, { signal: ended.signal }), reason);
    });

    it('are observed with their outcome', async () => {
      const seen: unknown[] = [];
      const observer = {
        requestEnded: (...[method, host, code, seconds]: [string, string, number, number]) =>
          void seen.push([method, host, code, seconds >= 0]),
      };
      const { host } = new URL(service.url);
      await open({}, {}, { observer }).get(configMaps, NAME);
      const gone = open({}, { server: new URL('https://127.0.0.1:1') }, { observer });
      await assert.rejects(gone.get(configMaps, NAME), /ECONNREFUSED/);
      assert.deepEqual(seen, [
        ['GET', host, 200, true],
        ['GET', '127.0.0.1:1', 0, true],
      ]);
    });
  });

  describe('failures', () => {
    it('without a Status have the code and the text', async () => {
      service.answerWith((_request, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
      await assert.rejects(open().get(configMaps, NAME), (error: StatusError) => {
        assert(error instanceof StatusError);
        assert.deepEqual([error.code, error.message], [502, '<html>Bad Gateway</html>']);
        return true;
      });
    });

    it('of the time, of broken answers and of what is no object are ConnectionErrors', async () => {
      service.answerWith(() => undefined);
      await assert.rejects(open({}, {}, { timeoutMs: 50 }).get(configMaps, NAME), /no answer within 50 ms/);
      service.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
        setTimeout(() => response.destroy(), 10);
      });
      await assert.rejects(open().get(configMaps, NAME), ConnectionError);
      service.answerWith((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      );
      await assert.rejects(open().get(configMaps, NAME), ConnectionError);
      service.answerWith((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('hello'));
      await assert.rejects(open().get(configMaps, NAME), ConnectionError);
    });
  });

  describe('watches', () => {
    async function outcome(
      write: (response: http.ServerResponse) => void,
      options?: RestClientOptions,
    ): Promise<unknown[]> {
      service.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        write(response);
      });
      const seen: unknown[] = [];
      try {
        for await (const event of open({}, {}, options).watch(configMaps)) seen.push(event);
      } catch (error) {
        seen.push(error);
      }
      return seen;
    }
    const frame = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

    it('fail when they break off, after what was there', async () => {
      const seen = await outcome((response) => {
        response.write(frame('ADDED', OBJECT));
        setTimeout(() => response.destroy(), 20);
      });
      assert.equal((seen[0] as WatchEvent<never>).type, 'ADDED');
      assert(seen[1] instanceof ConnectionError);
      assert((await outcome((response) => response.end('{"type":'))).at(-1) instanceof ConnectionError);
    });

    it('do not hold an event beyond the bound', async () => {
      const large = { ...OBJECT, data: { k: 'x'.repeat(5000) } };
      const seen = await outcome((response) => response.write(frame('ADDED', large)), { frameBytesMax: 1000 });
      assert.match(String(seen), /a frame of the watch is larger than 1000 bytes/);
    });

    it('say why the server ended them', async () => {
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: 'old',
      };
      const [error] = await outcome((response) => response.end(frame('ERROR', status)));
      assert(error instanceof StatusError);
      assert.deepEqual([error.code, error.reason], [410, 'Expired']);
    });

    it('outlast the time for calls', async () => {
      const seen = await outcome(
        (response) => {
          response.flushHeaders();
          // Long enough for a busy machine to connect within the time for calls.
          setTimeout(() => response.end(frame('ADDED', OBJECT)), 2500);
        },
        { timeoutMs: 2000 },
      );
      assert.deepEqual(seen, [{ type: 'ADDED', object: OBJECT }]);
    });
  });

  describe('connections', () => {
    it('lead through a proxy, which is shown its own password', async () => {
      const asked: (string | undefined)[][] = [];
      const proxy = http.createServer((_request, response) => response.writeHead(405).end());
      proxy.on('connect', (request: http.IncomingMessage, socket: Socket) => {
        asked.push([request.url, request.headers['proxy-authorization'], request.headers.authorization]);
        const target = net.connect(service.port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(target).pipe(socket);
        });
        target.on('error', () => socket.destroy());
        socket.on('error', () => target.destroy());
      });
      await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = proxy.address() as AddressInfo;
        const client = open({ token: 't' }, { proxy: new URL(`http://u:p%40@127.0.0.1:${port}`) });
        await client.get(configMaps, NAME);
        await client.get(configMaps, NAME);
        const password = `Basic ${Buffer.from('u:p@').toString('base64')}`;
        assert.deepEqual(asked, [[`127.0.0.1:${service.port}`, password, undefined]]);
        assert.equal(service.received[1]!.headers.authorization, 'Bearer t');
      } finally {
        clients.splice(0).forEach((client) => client.close());
        proxy.closeAllConnections();
        proxy.close();
      }
    });

    it('that the server has closed are made again for reading, not for writing', async () => {
      const client = open();
      const closeNext = (): void =>
        service.answerWith((_request, response) => {
          service.answerWith((_next, other) => answerJson(other, OBJECT));
          response.destroy();
        });
      await client.get(configMaps, NAME);
      closeNext();
      await client.get(configMaps, NAME);
      closeNext();
      await assert.rejects(client.create(configMaps, { metadata: NAME }), ConnectionError);
      assert.equal(service.received.length, 4);
    });

    it('of HTTP/2 are made again after GOAWAY', async () => {
      const serving = await authority.sign({
        subject: 'CN=s',
        names: ['127.0.0.1'],
        extendedKeyUsages: [SERVER_AUTH],
      });
      const server = http2.createSecureServer({ cert: serving.pem, key: serving.keyPem });
      const sessions: http2.ServerHttp2Session[] = [];
      server.on('session', (session) => sessions.push(session));
      server.on('stream', (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/json' });
        stream.end(JSON.stringify(OBJECT));
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const client = open({}, { server: new URL(`https://127.0.0.1:${port}`) }, { protocol: 'h2' });
        await Promise.all(Array.from({ length: 50 }, () => client.get(configMaps, NAME)));
        assert.equal(sessions.length, 1);
        sessions[0]!.close();
        await client.get(configMaps, NAME);
        sessions[1]!.destroy();
        await client.get(configMaps, NAME);
        assert.equal(sessions.length, 3);
      } finally {
        sessions.forEach((session) => session.destroy());
        server.close();
      }
    });

    it('of HTTP/2 need a server that offers it', async () => {
      await assert.rejects(open({}, {}, { protocol: 'h2' }).get(configMaps, NAME), ConnectionError);
    });
  });
});
