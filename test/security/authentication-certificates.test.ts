import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { CLIENT_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
/** Longer than the server takes to see that a file changed. */
const RELOAD_MAX_MS = 15_000;

describe('certificates of clients', function () {
  this.timeout(2 * RELOAD_MAX_MS);
  let dir: string;
  let authority: TestAuthority;
  let client: TestAuthority;
  let server: TestServer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-client-certificates-'));
    authority = await TestAuthority.create('CN=first');
    client = await authority.sign({ subject: 'CN=carol', extendedKeyUsages: [CLIENT_AUTH] });
    writeFileSync(path.join(dir, 'ca.pem'), authority.pem);
    server = await startTestServer({
      args: ['--authorization-mode=AlwaysAllow', `--client-ca-file=${path.join(dir, 'ca.pem')}`],
    });
  });
  after(async () => {
    await server.stop();
    rmSync(dir, { recursive: true });
  });

  it('are known on HTTP/2, stream by stream', async () => {
    const session = http2.connect(server.client.url, {
      rejectUnauthorized: false,
      cert: client.pem,
      key: client.keyPem,
    });
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': REVIEWS, 'content-type': 'application/json' });
        let text = '';
        stream
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('error', reject)
          .on('end', () => resolve(JSON.parse(text).status.userInfo.username));
        stream.end('{}');
      });
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ['carol', 'carol', 'carol']);
    session.close();
  });

  it('are known on connections that are resumed', async () => {
    const middle = await authority.sign({ subject: 'CN=middle', authority: {} });
    const below = await middle.sign({ subject: 'CN=dave', extendedKeyUsages: [CLIENT_AUTH] });
    const agent = new https.Agent({ rejectUnauthorized: false, cert: below.pem + middle.pem, key: below.keyPem });
    const ask = (): Promise<[boolean, string]> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = server.client.url;
        const request = https.request(
          {
            agent,
            host: hostname,
            port,
            method: 'POST',
            path: REVIEWS,
            headers: { 'content-type': 'application/json' },
          },
          (response) => {
            const isResumed = (response.socket as TLSSocket).isSessionReused();
            let text = '';
            response
              .setEncoding('utf8')
              .on('data', (part: string) => {
                text += part;
              })
              .on('end', () => resolve([isResumed, JSON.parse(text).status.userInfo.username]));
          },
        );
        request.on('error', reject).end('{}');
      });
    assert.deepEqual(await ask(), [false, 'dave']);
    assert.deepEqual(await ask(), [true, 'dave']);
    agent.destroy();
  });

  it('are invalid without a name, and give no other identity by odd ones', async () => {
    for (const subject of [
      'O=system:masters',
      'CN=carol\\, O\\=system:masters',
      [{ CN: ['carol\nO=system:masters'] }],
      [{ CN: ['CN=admin/O=system:masters'] }],
    ]) {
      const { pem, keyPem } = await authority.sign({ subject, extendedKeyUsages: [CLIENT_AUTH] });
      const { user } = await whoAmI(server, { certificate: pem, key: keyPem });
      assert.ok(!user?.groups?.includes('system:masters'), JSON.stringify(subject));
    }
  });

  it('follow a changed bundle, on open connections as well', async () => {
    const next = await TestAuthority.create('CN=second');
    const nextClient = await next.sign({ subject: 'CN=erin', extendedKeyUsages: [CLIENT_AUTH] });
    const agent = new https.Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      cert: client.pem,
      key: client.keyPem,
    });
    const status = (): Promise<number> =>
      new Promise((resolve, reject) => {
        https
          .get(
            { agent, host: server.client.url.hostname, port: server.client.url.port, path: '/version' },
            (response) => {
              response.resume().on('end', () => resolve(response.statusCode ?? 0));
            },
          )
          .on('error', reject);
      });
    assert.equal(await status(), 200);
    writeFileSync(path.join(dir, 'ca.pem'), next.pem);
    const end = Date.now() + RELOAD_MAX_MS;
    while ((await status()) === 200 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await status(), 401);
    agent.destroy();
    assert.equal(
      (await whoAmI(server, { certificate: nextClient.pem, key: nextClient.keyPem })).user?.username,
      'erin',
    );
  });
});
