import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBinnacle } from '../fixtures/binnacle-process.ts';
import type { Figures, FiguresByRow } from './figures.ts';
import { rows, type Row } from './rows.ts';
import type { BenchResults } from './run-bench.ts';
import type { AccessControlResults } from './run-access-control.ts';

const main = path.join(import.meta.dirname, 'main.ts');
/** Another program than the bundle, for work on the benchmark itself. */
const program = process.env['BENCH_PROGRAM'];

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  args: readonly string[],
  onStderr: (text: string, pid: number) => void = () => undefined,
  tmp = tmpdir(),
): Promise<Outcome> {
  const more = program === undefined ? [] : ['--program', program];
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args, ...more], {
    env: { ...process.env, TMPDIR: tmp },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    onStderr(stderr, child.pid!);
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
}

function assertFigures(row: Row, figures: Figures | undefined, where: string): void {
  assert.ok(figures !== undefined, `${where}: no ${row.name}`);
  assert.equal(figures.kind, row.kind, `${where}: ${row.name} ${figures.kind === 'failed' ? figures.error : ''}`);
  if (figures.kind === 'gauge' && ['watch-nodes-share', 'cluster-start-idle', 'cluster-idle'].includes(row.name))
    // The first is a difference of two measurements, the others are of a short time: there may be nothing.
    assert.ok(Number.isFinite(figures.value), `${where}: ${row.name} is ${figures.value}`);
  else if (figures.kind === 'gauge') assert.ok(figures.value > 0, `${where}: ${row.name} is ${figures.value}`);
  if (figures.kind !== 'throughput') return;
  for (const field of ['operations', 'perSecond', 'p50Ms', 'p99Ms', 'bytesPerOperation'] as const) {
    assert.ok(figures[field] > 0, `${where}: ${row.name} has ${field} ${figures[field]}`);
  }
  assert.ok(figures.p99Ms >= figures.p50Ms, `${where}: ${row.name} has a p99 below its p50`);
  assert.ok(figures.cpuMicros !== undefined && figures.cpuMicros >= 0, `${where}: ${row.name} has no CPU`);
}

/** Processes whose command line names the directory: what a run left behind. */
function processesIn(dir: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(dir);
      } catch {
        return false;
      }
    });
}

describe('benchmark', function () {
  this.timeout(120_000);
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-bench-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('has figures for every row on both stores, and for the floor', async () => {
    const json = path.join(dir, 'results.json');
    const { status, stdout, stderr } = await run(['--quick', '--json', json]);
    assert.equal(status, 0, stderr);
    const results = JSON.parse(readFileSync(json, 'utf8')) as BenchResults;
    assert.deepEqual(
      results.systems.map((system) => system.name),
      ['embedded', 'etcd'],
    );
    for (const { name, figures } of results.systems) {
      for (const row of rows) assertFigures(row, figures[row.name], name);
    }
    const floor: FiguresByRow = results.floor;
    for (const row of rows.filter((each) => each.kind === 'throughput' && each.floor))
      assertFigures(row, floor[row.name], 'floor');
    for (const row of rows) assert.ok(stdout.includes(row.title), `the report lacks ${row.title}`);
  });

  it('compares servers without access control and with it', async () => {
    const json = path.join(dir, 'results.json');
    const { status, stdout, stderr } = await run([
      '--access-control',
      '--quick',
      '--store',
      'embedded',
      '--rows',
      'create,get-json',
      '--json',
      json,
    ]);
    assert.equal(status, 0, stderr);
    const { stores } = JSON.parse(readFileSync(json, 'utf8')) as AccessControlResults;
    assert.deepEqual(
      stores.map(({ name, rows: compared }) => [name, Object.keys(compared)]),
      [['embedded', ['create', 'get-json']]],
    );
    for (const row of Object.values(stores[0]!.rows)) {
      assert.ok(
        !('error' in row) && row.withoutMicros > 0 && row.withMicros > 0 && Number.isFinite(row.lossPercent),
        JSON.stringify(row),
      );
      assert.ok(stdout.includes(`${row.lossPercent.toFixed(1)}%`));
    }
  });

  it('compares an earlier program with this one', async () => {
    const json = path.join(dir, 'results.json');
    const before = program ?? path.resolve(import.meta.dirname, '../../dist/binnacle.js');
    const { status, stdout, stderr } = await run([
      '--before',
      before,
      '--quick',
      '--store',
      'embedded',
      '--rows',
      'get-json,fan-out',
      '--json',
      json,
    ]);
    assert.equal(status, 0, stderr);
    const { stores } = JSON.parse(readFileSync(json, 'utf8')) as AccessControlResults;
    const { 'get-json': row, 'fan-out': watched } = stores[0]!.rows;
    assert.ok(
      row !== undefined && !('error' in row) && row.withoutMicros > 0 && row.withMicros > 0,
      JSON.stringify(row),
    );
    assert.ok(Number.isFinite(row.lossPercent));
    // So short that there may be no tick of CPU.
    assert.ok(watched !== undefined && !('error' in watched), JSON.stringify(watched));
    assert.match(stdout, /CPU per operation of the program before and of this one[^]*before +now +loss/);
  });

  it('measures no cluster on a server without nodes, and says so', async () => {
    const json = path.join(dir, 'results.json');
    const server = await startBinnacle();
    try {
      const options = [
        '--against',
        server.url,
        '--token',
        server.token,
        '--rows',
        'get-json,cluster-ready,cluster-roll',
      ];
      const { status, stderr } = await run([...options, '--quick', '--json', json]);
      assert.equal(status, 0, stderr);
      assert.match(stderr, /: the server has no nodes: skipped cluster-ready, cluster-roll\n/);
      const { systems } = JSON.parse(readFileSync(json, 'utf8')) as BenchResults;
      assert.deepEqual(Object.keys(systems[0]!.figures), ['get-json']);
    } finally {
      await server.stop();
    }
  });

  it('measures a cluster that runs elsewhere', async () => {
    const json = path.join(dir, 'results.json');
    const server = await startBinnacle(['--simulated-nodes=2']);
    try {
      const options = ['--against', server.url, '--token', server.token, '--rows', 'cluster-ready,cluster-delete'];
      const { status, stderr } = await run([...options, '--quick', '--json', json]);
      assert.equal(status, 0, stderr);
      const { systems } = JSON.parse(readFileSync(json, 'utf8')) as BenchResults;
      assert.deepEqual(Object.keys(systems[0]!.figures), ['cluster-ready', 'cluster-delete']);
      for (const row of rows)
        if (row.name in systems[0]!.figures) assertFigures(row, systems[0]!.figures[row.name], 'a cluster');
    } finally {
      await server.stop();
    }
  });

  it('leaves no process and no file when it is interrupted', async () => {
    let isInterrupted = false;
    const { status } = await run(
      ['--quick', '--store', 'etcd'],
      (stderr, pid) => {
        if (isInterrupted || !stderr.includes('etcd: get-json')) return;
        isInterrupted = true;
        process.kill(pid, 'SIGTERM');
      },
      dir,
    );
    assert.ok(isInterrupted);
    assert.equal(status, 143);
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.startsWith('binnacle-')),
      [],
    );
    assert.deepEqual(processesIn(dir), []);
  });

  it('refuses wrong options', async () => {
    const { status, stderr } = await run(['--rows', 'get-json,nonsense']);
    assert.equal(status, 2);
    assert.match(stderr, /unknown row "nonsense"/);
  });
});
