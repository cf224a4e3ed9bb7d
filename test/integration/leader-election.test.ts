import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaderElector } from '../../pkg/client/leader-election/leader-elector.ts';
import { lockKinds, newResourceLock } from '../../pkg/client/leader-election/new-resource-lock.ts';
import { objectClient } from '../fixtures/object-client.ts';
import { until } from '../fixtures/until.ts';
import { onEachStore } from './on-each-store.ts';

const candidateFile = path.resolve(import.meta.dirname, '../fixtures/leader-candidate/main.ts');

/** Candidates against a whole server. */
onEachStore('leader election', [], (suite) => {
  const children: ChildProcess[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  for (const kind of lockKinds) {
    it(`has one leader at any time on ${kind}, and hands over`, async function () {
      this.timeout(60_000);
      const namespace = await suite.namespace();
      const led: string[] = [];
      const errors: unknown[] = [];
      const candidates = ['a', 'b', 'c'].map((identity) => {
        const cancelled = new AbortController();
        const elector = new LeaderElector({
          name: 'test',
          identity,
          lock: newResourceLock(kind, objectClient(suite.client), { namespace, name: 'lock' }),
          leaseDurationMs: 3000,
          renewDeadlineMs: 2000,
          retryPeriodMs: 100,
          releaseOnCancel: true,
          onError: (error) => errors.push(error),
          onStartedLeading: () => void led.push(identity),
          onStoppedLeading: () => undefined,
        });
        return { identity, elector, cancelled, ended: elector.run(cancelled.signal) };
      });
      let samples = 0;
      const watch = setInterval(() => {
        const leaders = candidates.filter(({ elector }) => elector.isLeader());
        if (leaders.length > 1) errors.push(new Error(`two leaders: ${leaders.map(({ identity }) => identity)}`));
        samples++;
      }, 2);
      try {
        for (let turn = 1; turn <= candidates.length; turn++) {
          await until(() => led.length === turn, `leader ${turn}`);
          await sleep(300);
          const leader = candidates.find(({ identity }) => identity === led.at(-1))!;
          assert.equal(leader.elector.isLeader(), true);
          leader.cancelled.abort();
          await leader.ended;
        }
      } finally {
        clearInterval(watch);
        for (const { cancelled } of candidates) cancelled.abort();
      }
      assert.deepEqual([led.toSorted(), samples > 50], [['a', 'b', 'c'], true]);
      // Candidates that race for the same record get conflicts; nothing else may fail.
      assert.deepEqual(
        errors.filter((error) => !/the object has been modified|already exists/.test(String(error))),
        [],
      );
      await assertReleased(namespace, kind);
    });
  }

  const assertReleased = async (namespace: string, kind: string): Promise<void> => {
    const transitions: number[] = [];
    if (kind.includes('leases')) {
      const { json } = await suite.client.get(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lock`);
      assert.equal(json.spec.holderIdentity ?? '', '');
      transitions.push(json.spec.leaseTransitions);
    }
    if (kind !== 'leases') {
      const resource = kind.replace('leases', '');
      const { json } = await suite.client.get(`/api/v1/namespaces/${namespace}/${resource}/lock`);
      const record = JSON.parse(json.metadata.annotations['control-plane.alpha.kubernetes.io/leader']);
      assert.equal(record.holderIdentity, '');
      transitions.push(record.leaderTransitions);
    }
    assert.ok(
      transitions.every((count) => count === 2),
      String(transitions),
    );
  };

  it('stops the writes of a process that was paused for longer than its lease', async function () {
    this.timeout(90_000);
    const namespace = await suite.namespace();
    const start = async (identity: string): Promise<{ child: ChildProcess; output: () => string }> => {
      const { url, token } = suite.client;
      const args = ['--import', 'tsx', candidateFile, url.href, token, identity, namespace];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      let output = '';
      child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
      return { child, output: () => output };
    };
    const a = await start('a');
    await until(() => a.output().includes('started'), 'a leads');
    const b = await start('b');
    await sleep(2000);
    assert.equal(b.output(), '');
    a.child.kill('SIGSTOP');
    await until(() => b.output().includes('started'), 'b takes over');
    await sleep(500);
    a.child.kill('SIGCONT');
    await until(() => a.output().includes('stopped'), 'a stops');
    await sleep(500);
    const ended = new Promise((resolve) => b.child.once('exit', resolve));
    b.child.kill('SIGTERM');
    await ended;
    const { json } = await suite.client.get(`/api/v1/namespaces/${namespace}/configmaps`);
    const writers = (json.items as { metadata: { name: string; resourceVersion: string } }[])
      .filter(({ metadata }) => /^[ab]-\d+$/.test(metadata.name))
      .toSorted((x, y) => Number(x.metadata.resourceVersion) - Number(y.metadata.resourceVersion))
      .map(({ metadata }) => metadata.name[0]);
    assert.match(writers.join(''), /^a{20,}b{20,}$/);
    assert.match(a.output(), /^started\n(error .*\n|no write: .*\n)*stopped\n/);
  });
});
