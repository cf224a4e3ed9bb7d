import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TestAuthority, type CertificateWish } from '../net/certificates-testing.ts';
import { DeprecatedCertificates } from './deprecated-certificates.ts';
import { answerJson, startHttpsService, type HttpsService } from '../net/https-service-testing.ts';
import { WebhookClient, type WebhookClientSettings } from './webhook-client.ts';
import { WebhookError } from './webhook-error.ts';

describe('WebhookClient', () => {
  let authority: TestAuthority;
  let service: HttpsService;
  const clients: WebhookClient[] = [];

  before(async () => {
    authority = await TestAuthority.create();
    service = await startHttpsService((_request, response) => answerJson(response, {}), {
      authority,
      clientCa: authority.pem,
    });
  });
  beforeEach(() => {
    service.received.length = 0;
    service.answerWith((_request, response) => answerJson(response, { ok: true }));
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  after(() => service.close());

  async function credentials(): Promise<{ certificate: string; key: string }> {
    const { pem, keyPem } = await authority.sign({ subject: 'CN=caller' });
    return { certificate: pem, key: keyPem };
  }

  async function open(
    settings: Partial<WebhookClientSettings> = {},
    config: Partial<WebhookClientSettings['config']> = {},
  ): Promise<WebhookClient> {
    const client = new WebhookClient({
      certificates: new DeprecatedCertificates(),
      timeoutMs: 5000,
      pause: async () => undefined,
      ...settings,
      config: { server: new URL(`${service.url}/decide`), ca: service.ca, credentials: await credentials(), ...config },
    });
    clients.push(client);
    return client;
  }

  const failsWith =
    (pattern: RegExp) =>
    (error: unknown): boolean =>
      error instanceof WebhookError && pattern.test(error.message);

  it('posts documents over one connection, with certificate, token and query', async () => {
    const client = await open({}, { credentials: { ...(await credentials()), token: 's3cret' } });
    assert.deepEqual(await client.call({ a: 1 }), { ok: true });
    assert.deepEqual(await client.call({ a: 2 }, { query: 'timeout=10s', headers: { 'x-request': 'r' } }), {
      ok: true,
    });
    const [first, second] = service.received;
    assert.equal(first?.method, 'POST');
    assert.equal(first?.path, '/decide');
    assert.equal(first?.body, '{"a":1}');
    assert.equal(first?.headers.authorization, 'Bearer s3cret');
    assert.equal(first?.clientSubject, 'CN=caller');
    assert.equal(second?.path, '/decide?timeout=10s');
    assert.equal(second?.headers['x-request'], 'r');
    assert.equal(second?.clientPort, first?.clientPort);
  });

  it('sends a password, and a token from a file', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-webhook-'));
    writeFileSync(path.join(dir, 'token'), 'from-file\n');
    await (await open({}, { credentials: { ...(await credentials()), username: 'n', password: 'p' } })).call({});
    await (
      await open({}, { credentials: { ...(await credentials()), token: 'other', tokenFile: path.join(dir, 'token') } })
    ).call({});
    assert.deepEqual(
      service.received.map((r) => r.headers.authorization),
      [`Basic ${Buffer.from('n:p').toString('base64')}`, 'Bearer from-file'],
    );
    rmSync(dir, { recursive: true });
  });

  it('trusts only the authority it was given and only the right name', async () => {
    const other = await TestAuthority.create();
    await assert.rejects((await open({}, { ca: other.pem })).call({}), failsWith(/the connection failed: /));
    await assert.rejects(
      (await open({}, { serverName: 'hook.example' })).call({}),
      failsWith(/x509: certificate is valid for localhost, not hook\.example$/),
    );
    assert.deepEqual(await (await open({}, { serverName: 'localhost' })).call({}), { ok: true });
    assert.deepEqual(await (await open({}, { ca: undefined, insecureSkipTlsVerify: true })).call({}), { ok: true });
  });

  it('names the hosts of a certificate for another host', async () => {
    for (const [names, problem] of [
      [
        ['a.example', 'b.example'],
        /x509: cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs$/,
      ],
      [['a.example', '192.0.2.1'], /x509: certificate is valid for 192\.0\.2\.1, not 127\.0\.0\.1$/],
    ] as const) {
      const stranger = await startHttpsService((_request, response) => answerJson(response, {}), { authority, names });
      await assert.rejects((await open({}, { server: new URL(stranger.url) })).call({}), failsWith(problem));
      await stranger.close();
    }
    await assert.rejects(
      (
        await open(
          { address: () => ({ host: '127.0.0.1', port: service.port }) },
          { server: new URL('https://hook.example/x') },
        )
      ).call({}),
      failsWith(/is valid for localhost, not hook\.example$/),
    );
  });

  it('refuses and counts outdated certificates, as stock servers do', async () => {
    const certificates = new DeprecatedCertificates();
    const call = async (wish: CertificateWish): Promise<void> => {
      const { pem: cert, keyPem: key } = await authority.sign(wish);
      // The runtime loads no certificate with a weak signature at its usual level.
      const server = createServer({ cert, key, ciphers: 'DEFAULT@SECLEVEL=0' }, (_request, response) =>
        answerJson(response, {}),
      );
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        await (await open({ certificates }, { server: new URL(`https://localhost:${port}/`) })).call({});
      } finally {
        server.close();
        server.closeAllConnections();
      }
    };
    await assert.rejects(
      call({ subject: 'CN=localhost' }),
      failsWith(/: x509: certificate relies on legacy Common Name field, use SANs instead$/),
    );
    await assert.rejects(
      call({ subject: 'CN=localhost', names: ['localhost'], hash: 'SHA-1' }),
      failsWith(/: x509: cannot verify signature: insecure algorithm$/),
    );
    await call({ subject: 'CN=localhost', names: ['localhost'] });
    assert.deepEqual([certificates.missingSan, certificates.insecureSha1], [1, 1]);
  });

  it('connects to another address and checks the certificate against the name all the same', async () => {
    const client = await open(
      { address: () => ({ host: '127.0.0.1', port: service.port }) },
      { server: new URL('https://localhost/x') },
    );
    assert.deepEqual(await client.call({}), { ok: true });
    assert.equal(service.received[0]?.headers.host, 'localhost');
    const wrong = await open(
      { address: () => ({ host: '127.0.0.1', port: service.port }) },
      { server: new URL('https://hook.example/x') },
    );
    await assert.rejects(wrong.call({}), failsWith(/x509: certificate is valid for localhost, not hook\.example$/));
  });

  it('retries after 429, 5xx, requested pauses and lost connections, up to the limit', async () => {
    const pauses: number[] = [];
    const retry = { attempts: 5, initialMs: 100, factor: 2, jitter: 0 };
    const client = await open({ retry, pause: async (ms) => void pauses.push(ms) });
    const answers = [
      (response: ServerResponse) => answerJson(response, {}, 502),
      (response: ServerResponse) => void response.writeHead(429, { 'retry-after': '2' }).end(),
      (response: ServerResponse) => void response.writeHead(503, { 'retry-after': '3' }).end(),
      (response: ServerResponse) => void response.destroy(),
    ];
    service.answerWith((_request, response) => (answers.shift() ?? ((r) => answerJson(r, { at: 'last' })))(response));
    assert.deepEqual(await client.call({}), { at: 'last' });
    assert.deepEqual(pauses.slice(0, 3), [100, 2000, 3000]);
    service.answerWith((_request, response) => answerJson(response, {}, 500));
    service.received.length = 0;
    await assert.rejects(client.call({}), failsWith(/answered 500/));
    assert.equal(service.received.length, 5);
  });

  it('neither retries what was refused, nor follows redirects', async () => {
    const client = await open(
      { retry: { attempts: 3, initialMs: 1, factor: 1, jitter: 0 } },
      { credentials: { ...(await credentials()), token: 's3cret' } },
    );
    service.answerWith(
      (_request, response) => void response.writeHead(307, { location: `${service.url}/elsewhere` }).end(),
    );
    await assert.rejects(client.call({}), failsWith(/answered 307/));
    service.answerWith((_request, response) => answerJson(response, {}, 403));
    await assert.rejects(client.call({}), failsWith(/answered 403/));
    service.answerWith((_request, response) => answerJson(response, {}, 503));
    await assert.rejects(client.call({}), failsWith(/answered 503/));
    assert.deepEqual(
      service.received.map((r) => r.path),
      ['/decide', '/decide', '/decide'],
    );
  });

  it('does not retry where the service does not answer', async () => {
    const pauses: number[] = [];
    const patient = {
      retry: { attempts: 3, initialMs: 1, factor: 1, jitter: 0 },
      pause: async (ms: number) => void pauses.push(ms),
    };
    const gone = await startHttpsService((_request, response) => answerJson(response, {}), { authority });
    await gone.close();
    await assert.rejects((await open(patient, { server: new URL(gone.url) })).call({}), failsWith(/ECONNREFUSED/));
    service.answerWith(() => undefined);
    await assert.rejects((await open({ ...patient, timeoutMs: 50 })).call({}), failsWith(/timed out/));
    assert.deepEqual([service.received.length, pauses], [1, []]);
  });

  it('bounds answers in size and time', async () => {
    const client = await open({ answerBytesMax: 1000 });
    service.answerWith((_request, response) => answerJson(response, 'x'.repeat(1000)));
    await assert.rejects(client.call({}), failsWith(/larger than 1000 bytes/));
    service.answerWith((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => void response.write('x'.repeat(300)), 1);
      response.on('close', () => clearInterval(timer));
    });
    await assert.rejects(client.call({}), failsWith(/larger than 1000 bytes/));
    service.answerWith(() => undefined);
    await assert.rejects(client.call({}, { timeoutMs: 20 }), failsWith(/timed out/));
    service.answerWith((_request, response) => void response.writeHead(200).write('{'));
    await assert.rejects(client.call({}, { timeoutMs: 200 }), failsWith(/timed out/));
  });

  it('stops when its caller does', async () => {
    service.answerWith(() => undefined);
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    const call = (await open({ retry: { attempts: 100, initialMs: 1, factor: 1, jitter: 0 } })).call(
      {},
      { signal: stop.signal },
    );
    setTimeout(() => stop.abort(reason), 10);
    await assert.rejects(call, reason);
    await assert.rejects((await open()).call({}, { signal: stop.signal }), reason);
  });

  it('survives a service that closed the kept connection', async () => {
    const client = await open();
    service.answerWith((_request, response) => {
      answerJson(response, {});
      response.on('finish', () => response.socket?.destroy());
    });
    await client.call({});
    assert.deepEqual(await client.call({}), {});
  });

  it('names no credential in its errors', async () => {
    const client = await open(
      {},
      {
        server: new URL(`${service.url}/decide?key=s3cret`),
        credentials: { ...(await credentials()), token: 's3cret' },
      },
    );
    service.answerWith((_request, response) => void response.writeHead(401).end('s3cret'));
    await assert.rejects(
      client.call({ body: 's3cret' }),
      (error: Error) =>
        !JSON.stringify([error.message, error.stack]).includes('s3cret') && /answered 401/.test(error.message),
    );
    service.answerWith((_request, response) => void response.end('s3cret'));
    await assert.rejects(client.call({}), failsWith(/decide: the answer is no JSON$/));
  });
});
