import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

describe('/logs/', () => {
  const lines = Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join('');
  let logDir: string;
  let server: TestServer;
  before(async () => {
    logDir = mkdtempSync(path.join(tmpdir(), 'binnacle-logs-'));
    mkdirSync(path.join(logDir, 'pods/of node'), { recursive: true });
    writeFileSync(path.join(logDir, 'server.log'), lines);
    writeFileSync(path.join(logDir, 'empty'), '');
    writeFileSync(path.join(logDir, 'page.html'), '<script>alert(1)</script>');
    writeFileSync(path.join(logDir, 'pods/of node/100%.log'), 'odd');
    symlinkSync('server.log', path.join(logDir, 'current'));
    server = await startTestServer({ logDir });
  });
  after(async () => {
    await server.stop();
    rmSync(logDir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  const get = (url: string, headers: Record<string, string> = {}): Promise<Answer> => server.client.get(url, headers);
  const text = ({ status, body }: Answer): unknown[] => [status, body.toString()];

  it('serves files', async () => {
    const { status, headers, body } = await get('/logs/server.log');
    assert.deepEqual(
      [status, body.toString(), headers['content-type'], headers['content-length'], headers['accept-ranges']],
      [200, lines, 'text/plain; charset=utf-8', String(lines.length), 'bytes'],
    );
    assert.ok(headers['audit-id'] && headers['last-modified']);
    assert.deepEqual(text(await get('/logs/pods/of%20node/100%25.log')), [200, 'odd']);
    assert.deepEqual(text(await get('/logs/empty')), [200, '']);
    assert.deepEqual(text(await get('/logs/current')), [200, lines]);
  });

  it('says how long a file is without sending it', async () => {
    const { status, headers, body } = await server.client.send('HEAD', '/logs/server.log');
    assert.deepEqual([status, body.length, headers['content-length']], [200, 0, String(lines.length)]);
  });

  it('serves parts of files', async () => {
    for (const [range, status, first, last] of [
      ['bytes=0-5', 206, 0, 6],
      ['bytes=9-', 206, 9, lines.length],
      ['bytes=-9', 206, lines.length - 9, lines.length],
      ['bytes=0-1,3-4', 200, 0, lines.length],
      ['pages=1', 200, 0, lines.length],
    ] as const) {
      const answer = await get('/logs/server.log', { range });
      assert.deepEqual([answer.status, answer.body.toString()], [status, lines.slice(first, last)], range);
      assert.equal(
        answer.headers['content-range'],
        status === 206 ? `bytes ${first}-${last - 1}/${lines.length}` : undefined,
      );
    }
    const beyond = await get('/logs/server.log', { range: 'bytes=99999-' });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${lines.length}`]);
  });

  it('lists directories, and has their links lead somewhere', async () => {
    for (const from of ['/logs', '/logs/pods', '/logs/pods/of%20node']) {
      const { status, headers } = await get(from);
      assert.deepEqual([status, headers.location], [301, `${from}/`]);
    }
    const found: string[] = [];
    const visit = async (url: string): Promise<void> => {
      const { status, headers, body } = await get(url);
      assert.equal(status, 200, url);
      if (!headers['content-type']!.includes('html')) return;
      for (const [, link] of body.toString().matchAll(/<a href="([^"]+)">/g)) {
        const { pathname } = new URL(link!, `https://server${url}`);
        found.push(pathname);
        await visit(pathname);
      }
    };
    await visit('/logs/');
    assert.deepEqual(found, [
      '/logs/current',
      '/logs/empty',
      '/logs/page.html',
      '/logs/pods/',
      '/logs/pods/of%20node/',
      '/logs/pods/of%20node/100%25.log',
      '/logs/server.log',
    ]);
    assert.ok((await get('/')).json.paths.includes('/logs'));
  });

  it('lets no browser take a file for a page', async () => {
    const { headers } = await get('/logs/page.html');
    assert.deepEqual(
      [headers['content-type'], headers['x-content-type-options'], headers['content-security-policy']],
      ['text/plain; charset=utf-8', 'nosniff', "default-src 'none'; sandbox"],
    );
  });

  it('has nothing but what is there, to be read alone', async () => {
    for (const url of ['/logs/none', '/logs/server.log/', '/logs/server.log/x', '/logsx'])
      assert.deepEqual(text(await get(url)), [404, '404 page not found\n'], url);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      assert.equal(
        (await server.client.send(method, '/logs/server.log', { body: '[]', contentType: 'application/json' })).status,
        405,
        method,
      );
  });

  it('is for administrators alone, unless a role says otherwise', async () => {
    for (const url of ['/logs', '/logs/', '/logs/server.log', '/logs/none'])
      assert.equal((await get(url, { 'impersonate-user': 'ada' })).status, 403, url);
  });

  it('sends a file that grows as it was, and breaks off one that shrinks', async () => {
    const file = path.join(logDir, 'changing.log');
    const megabytes = 64;
    writeFileSync(file, Buffer.alloc(megabytes * 1024 * 1024, 'a'));
    const open = (): Promise<{ bytes(): Promise<number> }> =>
      new Promise((resolve, reject) => {
        const { hostname: host, port } = server.client.url;
        https
          .get(
            {
              host,
              port,
              path: '/logs/changing.log',
              headers: { authorization: `Bearer ${server.client.token}` },
              rejectUnauthorized: false,
              agent: false,
            },
            (response) =>
              resolve({
                bytes: async () => {
                  let bytes = 0;
                  for await (const part of response) bytes += (part as Buffer).length;
                  return bytes;
                },
              }),
          )
          .on('error', reject);
      });
    const growing = await open();
    appendFileSync(file, 'more');
    assert.equal(await growing.bytes(), megabytes * 1024 * 1024);
    const shrinking = await open();
    truncateSync(file, 10);
    await assert.rejects(shrinking.bytes(), /aborted/);
  });

  it('closes files whose client leaves', async () => {
    const file = path.join(logDir, 'large.log');
    writeFileSync(file, Buffer.alloc(64 * 1024 * 1024));
    const opened = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`) === file;
        } catch {
          return false;
        }
      }).length;
    const { hostname: host, port } = server.client.url;
    const request = https.get({
      host,
      port,
      path: '/logs/large.log',
      headers: { authorization: `Bearer ${server.client.token}` },
      rejectUnauthorized: false,
      agent: false,
    });
    await new Promise((resolve) => void request.once('response', resolve));
    assert.equal(opened(), 1);
    request.destroy();
    while (opened() > 0) await sleep(10);
  });
});

describe('--enable-logs-handler=false', () => {
  it('leaves no such path', async () => {
    const server = await startTestServer({ args: ['--enable-logs-handler=false'] });
    try {
      for (const url of ['/logs', '/logs/', '/logs/dpkg.log']) {
        const { status, body } = await server.client.get(url);
        assert.deepEqual([status, body.toString()], [404, '404 page not found\n'], url);
      }
      assert.equal((await server.client.get('/')).json.paths.includes('/logs'), false);
    } finally {
      await server.stop();
    }
  });
});
