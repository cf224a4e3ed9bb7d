import assert from 'node:assert/strict';
import type { Clock } from '../../apimachinery/clock.ts';
import { FakeClock, settle } from '../../apimachinery/clock-testing.ts';
import type { Lease } from '../../generated/types/coordination-v1.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { FakeCluster } from '../testing/fake-cluster-testing.ts';
import { ConnectionError } from '../rest/client.ts';
import { LeaderElector, LeadershipLost, type LeaderElectionOptions } from './leader-elector.ts';
import { leadingClient } from './leading-client.ts';
import { lockKinds, newResourceLock, type LockKind } from './new-resource-lock.ts';

const lockName = { namespace: 'kube-system', name: 'manager' };

/** The clock of one process that can be paused while others go on: its timers fire when it goes on. */
class PausableClock implements Clock {
  private readonly clock: FakeClock;
  private held: (() => void)[] | undefined;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  get isPaused(): boolean {
    return this.held !== undefined;
  }

  readonly steadyMs = (): number => this.clock.steadyMs();
  readonly wallMs = (): number => this.clock.wallMs();
  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    let cancelled = false;
    const run = (): void => {
      if (cancelled) return;
      if (this.held === undefined) callback();
      else this.held.push(run);
    };
    const cancel = this.clock.after(delayMs, run);
    return () => {
      cancelled = true;
      cancel();
    };
  };

  pause(): void {
    this.held ??= [];
  }

  resume(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const run of held) run();
  }
}

/** A candidate as one process of several: a client of its own to the same cluster, and a clock of its own. */
class Candidate {
  readonly client: FakeClient;
  readonly log: string[] = [];
  readonly elector: LeaderElector;
  readonly cancelled = new AbortController();
  signal: AbortSignal | undefined;
  work: Promise<void> | undefined;
  ended: Promise<void> | undefined;

  constructor(
    cluster: FakeCluster,
    clock: FakeClock,
    identity: string,
    { kind = 'leases', ...more }: Partial<LeaderElectionOptions> & { kind?: LockKind } = {},
  ) {
    this.client = new FakeClient(cluster);
    this.elector = new LeaderElector({
      name: 'manager',
      identity,
      lock: newResourceLock(kind, this.client, lockName),
      clock,
      random: () => 0.5,
      onError: (error) => this.log.push(`error: ${(error as Error).message}`),
      onStartedLeading: (signal) => {
        this.signal = signal;
        this.log.push('started');
        return this.work;
      },
      onStoppedLeading: () => this.log.push('stopped'),
      onNewLeader: (leader) => this.log.push(`leader ${leader}`),
      ...more,
    });
  }

  run(): this {
    this.ended = this.elector.run(this.cancelled.signal);
    return this;
  }

  async stop(clock: FakeClock): Promise<void> {
    this.cancelled.abort();
    let ended = false;
    void this.ended?.then(
      () => (ended = true),
      () => (ended = true),
    );
    for (await settle(); !ended;) await clock.advance(1000);
  }
}

describe('LeaderElector', () => {
  let cluster: FakeCluster;
  let clock: FakeClock;
  let candidates: Candidate[];
  beforeEach(() => {
    cluster = new FakeCluster();
    clock = new FakeClock();
    candidates = [];
  });
  afterEach(async () => {
    for (const candidate of candidates) {
      candidate.client.before = () => undefined;
      await candidate.stop(clock);
    }
    // Calls that tests have made slow.
    await clock.advance(60_000);
    assert.equal(clock.pending, 0);
  });
  const add = (identity: string, more: ConstructorParameters<typeof Candidate>[3] = {}): Candidate => {
    const candidate = new Candidate(cluster, clock, identity, more);
    candidates.push(candidate);
    return candidate;
  };
  const lease = (): Lease => cluster.objects.get('leases.coordination.k8s.io/kube-system/manager') as Lease;
  const leaders = (): string[] =>
    candidates.filter(({ elector }) => elector.isLeader()).map(({ elector }) => elector.leader);

  it('leads where there is no leader, and renews', async () => {
    const a = add('a').run();
    await clock.advance(100);
    assert.deepEqual(a.log, ['leader a', 'started']);
    assert.deepEqual(lease().spec, {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.000000Z',
      renewTime: '2026-01-02T03:04:05.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    assert.deepEqual([a.elector.isLeader(), lease().spec.acquireTime], [true, '2026-01-02T03:04:05.000000Z']);
    assert.equal(lease().spec.renewTime, '2026-01-02T03:05:05.000000Z');
  });

  it('takes over when the record has not changed for the duration that it names, seen by the own clock', async () => {
    const a = add('a').run();
    await clock.advance(100);
    const b = add('b').run();
    await clock.advance(30_000);
    assert.deepEqual(b.log, ['leader a']);
    a.client.before = () => Promise.reject(new ConnectionError('away'));
    await clock.advance(10_000);
    assert.deepEqual(leaders(), []);
    assert.equal(a.log.at(-1), 'stopped');
    assert.ok(a.signal!.reason instanceof LeadershipLost);
    await clock.advance(10_000);
    assert.deepEqual(leaders(), ['b']);
    assert.deepEqual([lease().spec.leaseTransitions, b.log], [1, ['leader a', 'leader b', 'started']]);
  });

  it('never compares times of the record with its clock: the leader may live in another year', async () => {
    const a = add('a').run();
    await clock.advance(100);
    clock.setWall(Date.UTC(2040, 0, 1));
    const b = add('b').run();
    await clock.advance(30_000);
    assert.deepEqual([leaders(), b.log], [['a'], ['leader a']]);
    clock.setWall(Date.UTC(2001, 0, 1));
    await clock.advance(60_000);
    assert.deepEqual(leaders(), ['a']);
    a.cancelled.abort();
    await clock.advance(20_000);
    assert.deepEqual(leaders(), ['b']);
  });

  it('stops before its lease may have ended when renewals are not answered', async () => {
    const a = add('a').run();
    await clock.advance(100);
    a.client.before = () => new Promise(() => undefined);
    await clock.advance(9_800);
    assert.equal(a.elector.isLeader(), true);
    await clock.advance(200);
    assert.deepEqual([a.elector.isLeader(), a.signal!.aborted, a.log.includes('stopped')], [false, true, true]);
  });

  it('counts the deadline from the beginning of a renewal, not from its answer', async () => {
    const a = add('a').run();
    await clock.advance(100);
    a.client.before = ({ verb }) =>
      verb === 'update' ? new Promise((resolve) => clock.after(7000, resolve)) : undefined;
    // The renewal begins at 2 s and is answered at 9 s; the next one begins at 11 s and would be answered at 18 s.
    await clock.advance(11_850);
    assert.equal(a.elector.isLeader(), true);
    await clock.advance(100);
    assert.equal(a.elector.isLeader(), false);
  });

  it('is no leader after a pause of its process, before any timer has fired, and writes nothing', async () => {
    const a = add('a').run();
    await clock.advance(100);
    const b = add('b').run();
    const writer = leadingClient(a.client, a.elector);
    const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
    const object = { metadata: { namespace: 'ns', name: 'one' } };
    await writer.create(configMaps, object);
    clock.jump(10_000);
    assert.equal(a.elector.isLeader(), false);
    assert.equal(a.signal!.aborted, true);
    const before = cluster.revision;
    for (const write of [
      () => writer.create(configMaps, object),
      () => writer.update(configMaps, object),
      () => writer.patch(configMaps, { namespace: 'ns', name: 'one' }, 'merge', {}),
      () => writer.delete(configMaps, { namespace: 'ns', name: 'one' }),
      () => writer.deleteCollection(configMaps, {}),
      () => writer.subresource(configMaps, { name: 'one' }, 'scale', { method: 'PUT', body: {} }),
    ]) {
      await assert.rejects(write, LeadershipLost);
    }
    assert.equal(cluster.revision, before);
    assert.equal((await writer.get(configMaps, { namespace: 'ns', name: 'one' })).metadata.name, 'one');
    await clock.advance(20_000);
    assert.deepEqual([leaders(), b.log.at(-1)], [['b'], 'started']);
  });

  it('stops at once where another candidate holds the lock', async () => {
    const a = add('a').run();
    await clock.advance(100);
    const stolen = lease();
    await new FakeClient(cluster).update(
      { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', kind: 'Lease', namespaced: true },
      { ...stolen, spec: { ...stolen.spec, holderIdentity: 'thief' } },
    );
    await clock.advance(2100);
    assert.deepEqual(a.log, ['leader a', 'started', 'leader thief', 'stopped']);
    assert.match((a.signal!.reason as Error).message, /held by "thief"/);
  });

  it('goes on leading through conflicts and short failures', async () => {
    const a = add('a').run();
    await clock.advance(100);
    const touched = lease();
    cluster.objects.set('leases.coordination.k8s.io/kube-system/manager', {
      ...touched,
      metadata: { ...touched.metadata, resourceVersion: String(++cluster.revision), labels: { touched: 'yes' } },
    });
    let failures = 3;
    a.client.before = () => (failures-- > 0 ? Promise.reject(new ConnectionError('away')) : undefined);
    await clock.advance(30_000);
    assert.deepEqual(
      a.log.filter((line) => !line.startsWith('error')),
      ['leader a', 'started'],
    );
    assert.deepEqual(lease().metadata.labels, { touched: 'yes' });
    assert.deepEqual([lease().spec.leaseTransitions, a.log.length], [0, 5]);
  });

  it('releases the lock when it is cancelled, after its work has ended, and others take it at their next try', async () => {
    const a = add('a', { releaseOnCancel: true });
    let finish!: () => void;
    a.work = new Promise((resolve) => (finish = resolve));
    a.run();
    await clock.advance(100);
    const b = add('b').run();
    a.cancelled.abort();
    await clock.advance(1000);
    assert.deepEqual([a.signal!.aborted, lease().spec.holderIdentity], [true, 'a']);
    finish();
    await clock.advance(1000);
    assert.equal(lease().spec.holderIdentity, '');
    await clock.advance(4000);
    assert.deepEqual(
      [leaders(), lease().spec.leaseTransitions, b.log],
      [['b'], 1, ['leader a', 'leader b', 'started']],
    );
    await a.ended;
  });

  it('does not release a lock whose work goes on beyond the lease', async () => {
    const a = add('a', { releaseOnCancel: true });
    a.work = new Promise(() => undefined);
    a.run();
    await clock.advance(100);
    a.cancelled.abort();
    await clock.advance(20_000);
    await a.ended;
    assert.equal(lease().spec.holderIdentity, 'a');
  });

  it('ends when its work fails, with the same error', async () => {
    const a = add('a', { onStartedLeading: () => Promise.reject(new Error('no such thing')) });
    a.run();
    const failed = assert.rejects(a.ended!, /no such thing/);
    await clock.advance(100);
    await failed;
    assert.equal(a.log.at(-1), 'stopped');
  });

  it('reports callbacks that throw, and goes on', async () => {
    const a = add('a', {
      onNewLeader: () => {
        throw new Error('thrown');
      },
    }).run();
    await clock.advance(5000);
    assert.deepEqual([a.log, leaders()], [['error: thrown', 'started'], ['a']]);
  });

  it('tells its work that it ends when it is cancelled before it leads', async () => {
    add('a').run();
    await clock.advance(100);
    const b = add('b').run();
    await clock.advance(100);
    b.cancelled.abort();
    await b.ended;
    assert.deepEqual(b.log, ['leader a', 'stopped']);
  });

  it('takes its own lease back after a restart, without a change of leaders', async () => {
    const a = add('a').run();
    await clock.advance(100);
    await a.stop(clock);
    const again = add('a').run();
    await clock.advance(100);
    assert.deepEqual([again.elector.isLeader(), lease().spec.leaseTransitions], [true, 0]);
  });

  it('shows in a metric and in events who leads', async () => {
    const shown: [string, boolean][] = [];
    const notes: string[] = [];
    const a = add('a', {
      metrics: { leading: (name, isLeading) => shown.push([name, isLeading]) },
      recorder: {
        event: (regarding, { note }) => notes.push(`${JSON.stringify(regarding)}: ${note}`),
        flush: () => Promise.resolve(),
        stop: () => Promise.resolve(),
      },
    }).run();
    await clock.advance(100);
    await a.stop(clock);
    assert.deepEqual(shown, [
      ['manager', false],
      ['manager', true],
      ['manager', false],
    ]);
    const about = '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","namespace":"kube-system","name":"manager"}';
    assert.deepEqual(notes, [`${about}: a became leader`, `${about}: a stopped leading`]);
  });

  it('refuses periods that cannot work', () => {
    for (const periods of [
      { leaseDurationMs: 10_000 },
      { renewDeadlineMs: 2000 },
      { retryPeriodMs: 0 },
      { leaseDurationMs: 500, renewDeadlineMs: 400, retryPeriodMs: 100 },
      { identity: '' },
    ]) {
      assert.throws(() => add('x', periods), RangeError, JSON.stringify(periods));
      candidates = [];
    }
  });

  for (const kind of lockKinds) {
    it(`has one leader at most on ${kind}, whatever fails and pauses`, async () => {
      let seed = [...kind].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7);
      const random = (): number => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
      const clocks = new Map(['a', 'b', 'c'].map((identity) => [identity, new PausableClock(clock)]));
      for (const [identity, own] of clocks) {
        const candidate = add(identity, { kind, releaseOnCancel: true, random, clock: own });
        candidate.client.before = async () => {
          const fate = random();
          if (fate < 0.15) throw new ConnectionError('away');
          // By the clock of the process: it sees no answer while it is paused.
          if (fate < 0.4) await new Promise<void>((resolve) => own.after(random() * 12_000, resolve));
        };
        candidate.ended = (async () => {
          while (!candidate.cancelled.signal.aborted) await candidate.elector.run(candidate.cancelled.signal);
        })();
      }
      const led = new Set<string>();
      let leaderless = 0;
      const check = (): void => {
        const running = candidates.filter((_, i) => ![...clocks.values()][i]!.isPaused);
        const now = running.filter(({ elector }) => elector.isLeader()).map(({ elector }) => elector.leader);
        assert.ok(now.length <= 1, `${now.join(' and ')} at ${clock.steadyMs()}`);
        if (now.length === 0) leaderless++;
        for (const leader of now) led.add(leader);
      };
      for (let step = 0; step < 1500; step++) {
        const own = clocks.get('abc'[Math.floor(random() * 3)]!)!;
        if (!own.isPaused && random() < 0.05) own.pause();
        else if (own.isPaused && random() < 0.2) {
          own.resume();
          // Right then: none of its due timers has fired.
          check();
        }
        await clock.advance(random() * 800);
        check();
      }
      for (const own of clocks.values()) own.resume();
      assert.ok(led.size >= 1 && leaderless < 1400, `${[...led]}, ${leaderless}`);
    });
  }
});
