/**
 * Programs that keep their connections, with answers and bodies from nothing to 1 MB one behind the other: every
 * request is answered as it should be, on the connection it began with.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RecordClient } from '../../pkg/server/listener/record-client-testing.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { runProgram } from '../fixtures/run-program.ts';
import { head } from '../security/raw-connection.ts';
import { curlConfig, curlTransfers } from './kept-connections/curl-config.ts';
import { prepare, writePlan, type Step } from './kept-connections/plan.ts';

/** As many as make the server answer some while others ask. */
const CONNECTIONS = 4;
const fixtures = path.join(import.meta.dirname, 'kept-connections');
const timeoutMs = 240_000;

describe('kept connections', function () {
  this.timeout(timeoutMs);
  let server: BinnacleProcess;
  let client: ApiClient;
  let dir: string;
  let plans: readonly (readonly Step[])[];
  let planFiles: readonly string[];

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-kept-'));
    server = await startBinnacle();
    client = new ApiClient(server.url, server.token);
    await prepare(client, CONNECTIONS);
    plans = Array.from({ length: CONNECTIONS }, (_, i) => writePlan(path.join(dir, `${i}`), i));
    planFiles = plans.map((plan, i) => {
      const file = path.join(dir, `plan-${i}.json`);
      writeFileSync(file, JSON.stringify(plan));
      return file;
    });
  });
  after(async () => {
    client?.close();
    await server?.stop();
    if (dir !== undefined) rmSync(dir, { recursive: true });
  });

  async function assertFollowed(program: string, args: readonly string[], connections: number): Promise<void> {
    const { stdout, stderr } = await runProgram(program, args, { timeoutMs });
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), { failures: [], failed: 0, connections });
  }

  it('of Node', () =>
    assertFollowed(
      process.execPath,
      ['--import', 'tsx', path.join(fixtures, 'client.ts'), server.url, server.token, ...planFiles],
      CONNECTIONS,
    ));

  it('of Python', () =>
    assertFollowed('python3', [path.join(fixtures, 'client.py'), server.url, server.token, ...planFiles], CONNECTIONS));

  describe('of Go', () => {
    let program: string;
    before(async () => {
      program = path.join(dir, 'client');
      assert.deepEqual(
        await runProgram('go', ['build', '-o', program, path.join(fixtures, 'client.go')], { timeoutMs }),
        { status: 0, stdout: '', stderr: '' },
      );
    });
    it('over HTTP/1.1', () => assertFollowed(program, [server.url, server.token, 'http1', ...planFiles], CONNECTIONS));
    it('over HTTP/2', () => assertFollowed(program, [server.url, server.token, 'http2', ...planFiles], 1));
  });

  it('of curl', async () => {
    const outputs = await Promise.all(
      plans.map((plan) =>
        runProgram('curl', ['--config', '-'], { timeoutMs, stdin: curlConfig(server.url, server.token, plan) }),
      ),
    );
    for (const [i, { stdout }] of outputs.entries()) {
      const transfers = curlTransfers(stdout);
      const failed = plans[i]!.filter(
        ({ status, bytesMin }, j) => transfers[j]?.status !== status || transfers[j].bytes < bytesMin,
      );
      assert.deepEqual(failed.slice(0, 5), []);
      assert.equal(
        transfers.reduce((sum, { opened }) => sum + opened, 0),
        1,
      );
    }
  });

  describe('with a next request in two records, wherever it is split', () => {
    const body = '{"metadata":{"labels":{"a":"b"}}}';
    const patch = (name: string): string =>
      head('PATCH', `/api/v1/namespaces/default/configmaps/${name}`, server.token, {
        'content-type': 'application/merge-patch+json',
        'content-length': String(body.length),
      }) + body;

    for (const read of [
      'configmaps/read-0',
      'configmaps/read-17000',
      'configmaps/read-60000',
      'configmaps/none',
      'configmaps?limit=1',
    ]) {
      it(`behind ${read}`, async () => {
        const get = head('GET', `/api/v1/namespaces/default/${read}`, server.token);
        const length = patch('written-0').length;
        await Promise.all(
          Array.from({ length: CONNECTIONS }, async (_, k) => {
            const connection = await RecordClient.open(Number(new URL(server.url).port));
            const request = patch(`written-${k}`);
            for (let i = 1 + k; i < length; i += CONNECTIONS) {
              await connection.send(get);
              const [first] = await connection.answers(1);
              await connection.send(request.slice(0, i), request.slice(i));
              const [second] = await connection.answers(1);
              assert.deepEqual(
                [first?.status, second?.status],
                [read.endsWith('none') ? 404 : 200, 200],
                `split at ${i}`,
              );
            }
            connection.destroy();
          }),
        );
      });
    }

    it('behind a list that is not read yet, with more behind it', async () => {
      const connection = await RecordClient.open(Number(new URL(server.url).port));
      const list = head('GET', '/api/v1/configmaps', server.token);
      const request = patch('written-0');
      for (const i of [1, 50, request.length - body.length, request.length - 1]) {
        // More than the system takes from the server.
        for (let lists = 0; lists < 10; lists++) await connection.send(list);
        await connection.readFirstBytes();
        await connection.send(request.slice(0, i), request.slice(i), ...request);
        const answers = await connection.answers(12);
        assert.deepEqual(
          answers.map(({ status }) => status),
          Array.from({ length: 12 }, () => 200),
        );
      }
      connection.destroy();
    });
  });
});
