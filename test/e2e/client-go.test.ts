/**
 * client-go against the built program, in JSON and protobuf, over HTTP/1.1 and HTTP/2, and its informers over a
 * restart.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { runOverRestart } from '../fixtures/over-restart.ts';

const source = path.join(import.meta.dirname, 'client-go');
/** The first build of a machine compiles all that client-go consists of. */
const buildMs = 900_000;
const runMs = 200_000;

describe('client-go', function () {
  this.timeout(runMs + 20_000);
  let dir: string;
  let program: string;
  let server: BinnacleProcess;

  before(async function () {
    this.timeout(buildMs);
    if (spawnSync('go', ['version']).error !== undefined) {
      console.log('      skipped: no Go on this machine; hack/install-tools.sh installs it');
      this.skip();
    }
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-client-go-'));
    program = path.join(dir, 'client');
    const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], {
      cwd: source,
      encoding: 'utf8',
      timeout: buildMs,
    });
    assert.equal(status, 0, stderr);
    server = await startBinnacle();
  });
  after(async () => {
    await server?.stop();
    if (dir !== undefined) rmSync(dir, { recursive: true });
  });

  for (const content of ['json', 'protobuf']) {
    for (const protocol of ['http1', 'http2']) {
      it(`changes objects of all sizes, watches them, and follows them over a restart: ${content}, ${protocol}`, async () => {
        assert.equal(
          await runOverRestart(program, [server.url, server.token, content, protocol], () => server.restart(), runMs),
          'synced\ndone\n',
        );
      });
    }
  }
});
