/** Ways out of the directory of log files, and files at which a reader would hang. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { answerTo, head } from './raw-connection.ts';

const MARK = 'only-for-the-host';

/** Paths below `/logs/` that mean something outside of it to someone. */
const ways: readonly string[] = [
  '../secret',
  '../../../../../../etc/passwd',
  './../secret',
  'pods/../../secret',
  'pods/..//../secret',
  '..',
  '../',
  'pods/../..',
  '.',
  './',
  'pods/.',
  'pods/./../pods',
  '%2e%2e/secret',
  '%2E%2E%2Fsecret',
  '..%2fsecret',
  '.%2e/secret',
  'pods%2f..%2f..%2fsecret',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%252e%252e/secret',
  '..%252fsecret',
  '%c0%ae%c0%ae/secret',
  '..%c0%afsecret',
  '..%5csecret',
  '..\\secret',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  '//etc/passwd',
  'file:///etc/passwd',
  'a.log%00',
  'a.log%00.txt',
  '%00',
  '../logs-of-others/secret',
  '../log-of-others/secret',
  'a.log/../../secret',
  'a.log%2f..%2f..%2fsecret',
  '~/secret',
  '~root/.profile',
  'out',
  'others',
  'others/',
  'others/secret',
  'pods/out',
  'everything',
  'everything/',
  'everything/etc/passwd',
  'chain',
  'zero',
  'null',
  'pipe',
  'socket',
  'loop',
  'loop/x',
  'dangling',
  'fd/0',
  'x'.repeat(300),
  `${'d/'.repeat(3000)}x`,
];

describe('log files', function () {
  this.timeout(60_000);
  let above: string;
  let logDir: string;
  let socket: Server;
  let server: TestServer;
  before(async () => {
    above = mkdtempSync(path.join(tmpdir(), 'binnacle-host-'));
    logDir = path.join(above, 'log');
    mkdirSync(path.join(logDir, 'pods'), { recursive: true });
    mkdirSync(path.join(above, 'log-of-others'));
    for (const file of ['secret', 'log-of-others/secret']) writeFileSync(path.join(above, file), MARK);
    for (const file of ['a.log', 'pods/b.log']) writeFileSync(path.join(logDir, file), file);
    const links = {
      out: '../secret',
      others: '../log-of-others',
      everything: '/',
      chain: 'out',
      'pods/out': path.join(above, 'secret'),
      zero: '/dev/zero',
      null: '/dev/null',
      loop: 'loop',
      dangling: '../none',
      fd: '/proc/self/fd',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(logDir, name));
    execFileSync('mkfifo', [path.join(logDir, 'pipe')]);
    socket = createServer();
    await new Promise<void>((resolve) => void socket.listen(path.join(logDir, 'socket'), resolve));
    server = await startTestServer({ logDir });
  });
  after(async () => {
    await server.stop();
    await new Promise((resolve) => socket.close(resolve));
    rmSync(above, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  const raw = (method: string, target: string) =>
    answerTo(server.client.url, head(method, target, server.client.token));

  it('lead nowhere else, however the path is written', () =>
    whileServing(server, async () => {
      assert.equal((await raw('GET', '/logs/a.log')).body.toString(), 'a.log');
      for (const way of ways) {
        const { status, body } = await raw('GET', `/logs/${way}`);
        assert.ok(status === 404 || status === 400, `${way.slice(0, 50)}: ${status}`);
        assert.doesNotMatch(body.toString(), new RegExp(`${MARK}|root:`), way);
      }
    }));

  it('neither over HTTP/2', async () => {
    const connection = await Http2Connection.open(server);
    try {
      for (const way of ways) {
        const { status } = await connection.send('GET', `/logs/${way}`);
        assert.ok(status === 404 || status === 400, `${way.slice(0, 50)}: ${status}`);
      }
    } finally {
      connection.close();
    }
  });

  it("are not those of a link that takes a directory's place again and again", async () => {
    const real = path.join(logDir, 'swapped');
    const away = path.join(above, 'away');
    const link = path.join(above, 'link');
    mkdirSync(real);
    writeFileSync(path.join(real, 'secret'), 'harmless');
    symlinkSync('../log-of-others', link);
    const asking = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 100; i++) {
        const { status, body } = await server.client.get('/logs/swapped/secret');
        assert.ok(status === 404 || body.toString() === 'harmless', `${status} ${body.toString()}`);
      }
    });
    let over = false;
    const swapping = (async () => {
      while (!over) {
        renameSync(real, away);
        renameSync(link, real);
        await new Promise((resolve) => setImmediate(resolve));
        renameSync(real, link);
        renameSync(away, real);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    try {
      await Promise.all(asking);
    } finally {
      over = true;
      await swapping;
    }
  });
});
