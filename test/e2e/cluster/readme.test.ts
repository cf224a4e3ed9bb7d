/** The commands of the README for a cluster of separate programs, with free ports and directories of the test. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { freePorts } from '../../fixtures/free-ports.ts';
import { startProgramProcess, type ProgramProcess } from '../../fixtures/manager-process.ts';
import { runProgram } from '../../fixtures/run-program.ts';
import { Kubectl } from '../kubectl/kubectl.ts';

const readme = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');
/** What each program writes when it works. */
const READY: Readonly<Record<string, string>> = { apiserver: 'serving at' };
const WORKS = 'the leader is';

describe('separate programs as in the README', function () {
  this.timeout(120_000);
  let dir: string;
  let etcd: EtcdServer;
  const programs: ProgramProcess[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-readme-'));
    etcd = await EtcdServer.start();
  });
  after(async () => {
    for (const program of programs.reverse()) await program.stop();
    await etcd?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('make a cluster that runs a deployment', async () => {
    const [port] = await freePorts(1);
    const [, block] = /```sh\n((?:(?!```)[\s\S])*simulate-nodes[\s\S]*?)```/.exec(readme)!;
    const commands = block!
      .replaceAll('\\\n', ' ')
      .replaceAll('http://10.0.0.1:2379', etcd.url)
      .replaceAll(/(\.\/)?\bpki\b/g, dir)
      .replace('--secure-port 6443', `--secure-port ${port}`)
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/));
    for (const [program, file, name, ...args] of commands) {
      if (program !== 'node') {
        assert.equal((await runProgram(program!, [file!, name!, ...args])).status, 0, program);
        continue;
      }
      assert.equal(file, 'dist/binnacle.js');
      const own = ['--bind-address=127.0.0.1', ...(name === 'apiserver' ? [] : ['--secure-port=0'])];
      if (name === 'controller-manager') own.push('--port=0');
      programs.push(await startProgramProcess([name!, ...args, ...own], READY[name!] ?? WORKS));
    }
    assert.equal(programs.length, 4);
    const kubectl = new Kubectl({
      version: '1.35',
      kubeconfig: join(dir, 'kubeconfig'),
      namespace: 'default',
      home: dir,
    });
    await kubectl.ok`create deployment web --image=nginx --replicas=3`;
    await kubectl.ok`rollout status deployment/web --timeout=50s`;
    assert.match(await kubectl.ok`logs deployment/web`, /simulated: container nginx runs nginx/);
  });
});
