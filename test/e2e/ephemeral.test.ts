/** `binnacle up --ephemeral --print-kubeconfig`: the programs of docs/library.md that call it, and what ends it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentedPrograms } from '../fixtures/documented-programs.ts';
import { runProgram, toolPath } from '../fixtures/run-program.ts';
import { until } from '../fixtures/until.ts';

const program = path.resolve(import.meta.dirname, '../../dist/binnacle.js');
const CLUSTER = [program, 'up', '--ephemeral', '--print-kubeconfig'];
/** The first build of a machine compiles all that client-go consists of. */
const BUILD_MS = 900_000;

interface Started {
  readonly child: ChildProcess;
  output(): string;
}

describe('binnacle up --ephemeral', function () {
  this.timeout(120_000);
  let dir: string;
  let env: Record<string, string>;
  const started: ChildProcess[] = [];
  const clusters: number[] = [];

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'ephemeral-'));
    for (const name of ['bin', 'tmp']) mkdirSync(path.join(dir, name));
    symlinkSync(program, path.join(dir, 'bin/binnacle'));
    symlinkSync(toolPath('kubectl-1.35'), path.join(dir, 'bin/kubectl'));
    env = { PATH: `${path.join(dir, 'bin')}:${process.env['PATH']}`, TMPDIR: path.join(dir, 'tmp') };
    for (const [name, text] of documentedPrograms()) writeFileSync(path.join(dir, name), text);
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    for (const pid of clusters.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const left = (): readonly string[] => readdirSync(path.join(dir, 'tmp'));
  const run = async (command: string, ...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await runProgram(command, args, { env });
    assert.equal(status, 0, stderr);
    assert.deepEqual(left(), []);
    return stdout;
  };
  /** Runs a program; resolves when it has written a line. `output` is what it has written so far. */
  const start = async (args: readonly string[], stdin: 'pipe' | 'ignore' = 'ignore'): Promise<Started> => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: [stdin, 'pipe', 'ignore'] });
    started.push(child);
    let output = '';
    child.stdout!.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await until(() => output.includes('\n'), 'a line');
    return { child, output: () => output };
  };
  /** Runs a program that writes which process its cluster is. */
  const startCaller = async (text: string, stdin?: 'pipe'): Promise<{ child: ChildProcess; pid: number }> => {
    const { child, output } = await start(['-e', text], stdin);
    const pid = Number(output());
    clusters.push(pid);
    assert.ok(isRunning(pid));
    return { child, pid };
  };
  const isRunning = (pid: number): boolean => {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout !== '' && !stdout.startsWith('Z');
  };

  it('is called from Python', async () => {
    assert.equal(await run(toolPath('python-kubernetes'), path.join(dir, 'cluster.py')), 'made-in-python\n');
  });

  it('is called from a shell', async () => {
    assert.equal(await run('sh', path.join(dir, 'cluster.sh')), 'configmap/made-in-a-shell\n');
  });

  it('is called from Go', async function () {
    this.timeout(BUILD_MS);
    if (spawnSync('go', ['version']).error !== undefined) this.skip();
    const source = path.join(dir, 'go');
    mkdirSync(source);
    for (const name of ['go.mod', 'go.sum'])
      cpSync(path.join(import.meta.dirname, 'client-go', name), path.join(source, name));
    cpSync(path.join(dir, 'main.go'), path.join(source, 'main.go'));
    const built = spawnSync('go', ['build', '-o', 'caller', '.'], { cwd: source, encoding: 'utf8', timeout: BUILD_MS });
    assert.equal(built.status, 0, built.stderr);
    assert.equal(await run(path.join(source, 'caller')), 'made-in-go\n');
  });

  it('writes the kubeconfig in one line, and nothing else, to standard output', async () => {
    const { child, output } = await start(CLUSTER);
    child.kill('SIGTERM');
    const status = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(status, 0);
    const [line = '', ...more] = output().split('\n');
    assert.deepEqual(more, ['']);
    assert.equal((JSON.parse(line) as { kind: string }).kind, 'Config');
    assert.deepEqual(left(), []);
  });

  it('ends with its parent, also when that is killed', async () => {
    const caller = `
      const cluster = require('node:child_process').spawn(process.execPath, ${JSON.stringify(CLUSTER)}, { stdio: ['ignore', 'pipe', 'ignore'] });
      cluster.stdout.once('data', () => console.log(cluster.pid));
    `;
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const { child, pid } = await startCaller(caller);
      assert.equal(left().length, 1);
      child.kill(signal);
      await until(() => !isRunning(pid) && left().length === 0, `the end of the cluster after ${signal}`);
    }
  });

  it('ends with its standard input, also where a program between lives on', async () => {
    const between = `
      const cluster = require('node:child_process').spawn(process.execPath, ${JSON.stringify(CLUSTER)}, { stdio: ['inherit', 'pipe', 'ignore'] });
      cluster.stdout.once('data', () => console.log(cluster.pid));
      setTimeout(() => undefined, 60_000);
    `;
    const { child, pid } = await startCaller(between, 'pipe');
    child.stdin!.end();
    await until(() => !isRunning(pid) && left().length === 0, 'the end of the cluster');
    assert.equal(child.exitCode, null);
  });

  it('takes no directory', async () => {
    const { status, stderr } = await runProgram(process.execPath, [...CLUSTER, '--data-dir', dir], { env });
    assert.deepEqual([status, stderr], [2, 'binnacle up: --ephemeral=true: cannot be used together with --data-dir\n']);
    assert.deepEqual(left(), []);
  });
});
