import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';
import { EmbeddedDatabase } from './database.ts';
import { OwnerLock } from './owner-lock.ts';

/** What a container isolates, as far as a lock could notice. */
const namespaces = ['unshare', '--pid', '--net', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];

describe('owner lock', () => {
  let dir: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-lock-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  /**
   * Another process that takes the lock and keeps it, or prints why it cannot. `before`: the command that starts it.
   */
  async function otherProcess(before: readonly string[] = []): Promise<{ child: ChildProcess; said: string }> {
    const module = JSON.stringify(join(import.meta.dirname, 'owner-lock.ts'));
    const script = `import { OwnerLock } from ${module}; import { spawn } from 'node:child_process';
      try { new OwnerLock(${JSON.stringify(dir)}); spawn('sleep', ['20']).unref(); console.log('locked by', process.pid); setInterval(() => {}, 1e6); } catch (error) { console.log(error.message); }`;
    const [command, ...args] = [...before, process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
    const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, said: said.toString().trim() };
  }

  it('refuses a second owner and names the first', () => {
    const lock = new OwnerLock(dir);
    const expected = `the data directory ${dir} is in use by process ${process.pid} on ${hostname()}; one server can own it at a time`;
    assert.throws(
      () => new OwnerLock(dir),
      (error) => error instanceof StoreUnavailableError && error.message === expected,
    );
    lock.release();
    new OwnerLock(dir).release();
  });

  it('refuses while another process has it, and no longer after that is killed', async () => {
    const { child, said } = await otherProcess();
    assert.equal(said, `locked by ${child.pid}`);
    assert.throws(() => new OwnerLock(dir), new RegExp(`in use by process ${child.pid} on`));
    child.kill('SIGKILL');
    await once(child, 'exit');
    new OwnerLock(dir).release();
  }).timeout(30_000);

  it('knows owners in other namespaces, as of two containers with one volume', async function () {
    this.timeout(60_000);
    if (spawnSync(namespaces[0]!, [...namespaces.slice(1), 'true']).status !== 0) {
      console.log('      skipped: this user cannot make namespaces');
      this.skip();
    }
    const first = await otherProcess(namespaces);
    assert.equal(first.said, 'locked by 1');
    assert.throws(() => new OwnerLock(dir), /in use by process 1 on/);
    assert.match((await otherProcess(namespaces)).said, /in use by process 1 on/);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const deadline = Date.now() + 10_000;
    for (;;) {
      const { said } = await otherProcess(namespaces);
      if (said === 'locked by 1') break;
      assert.ok(Date.now() < deadline, said);
    }
  });

  it('takes over after any text that an owner left behind', () => {
    for (const text of ['', 'nonsense', `${process.ppid} - x\n`, `${process.pid} 1 x\n`]) {
      writeFileSync(join(dir, 'owner.lock'), text);
      const lock = new OwnerLock(dir);
      assert.ok(readFileSync(join(dir, 'owner.lock'), 'utf8').startsWith(`${process.pid} `));
      lock.release();
    }
  });

  it('leaves its file, as a lock on a removed one would exclude no process', () => {
    new OwnerLock(dir).release();
    assert.ok(existsSync(join(dir, 'owner.lock')));
  });

  it('refuses while a program that ignores the lock has the database open', async () => {
    const script = `import { EmbeddedDatabase } from ${JSON.stringify(join(import.meta.dirname, 'database.ts'))}; new EmbeddedDatabase(${JSON.stringify(dir)}); console.log('open'); setInterval(() => {}, 1e6);`;
    await new EmbeddedDatabase(dir).close();
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout, 'data');
    assert.throws(() => new OwnerLock(dir), /in use by another program that has its database open/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    new OwnerLock(dir).release();
  }).timeout(30_000);
});
