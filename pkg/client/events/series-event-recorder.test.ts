import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import type { Event } from '../../generated/types/events-v1.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { SeriesEventRecorder } from './series-event-recorder.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'web', uid: 'u1' } };
const MINUTE_MS = 60_000;

describe('SeriesEventRecorder', () => {
  let clock: FakeClock;
  let client: FakeClient;
  let recorder: SeriesEventRecorder;
  beforeEach(() => {
    clock = new FakeClock();
    client = new FakeClient();
    const source = { component: 'default-scheduler', instance: 'default-scheduler-1' };
    recorder = new SeriesEventRecorder({ client, source, clock, onError: (error) => assert.fail(String(error)) });
  });
  afterEach(() => recorder.stop());
  const record = (note = 'no node fits', about: object = pod): void =>
    recorder.event(about as typeof pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note });
  const stored = (): Event[] => [...client.cluster.objects.values()] as unknown as Event[];
  const verbs = (): string[] => client.writes.map(({ verb }) => verb);

  it('writes an event as schedulers write them', async () => {
    recorder.event(pod, {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: 'x'.repeat(2000),
      related: pod,
    });
    await recorder.flush();
    const [{ metadata, regarding, related, ...event }] = stored() as [Event];
    assert.match(metadata.name!, /^web\.[0-9a-f]+$/);
    assert.deepEqual([metadata.namespace, regarding.uid, related!.name], ['ns', 'u1', 'web']);
    assert.deepEqual(event, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'default-scheduler',
      reportingInstance: 'default-scheduler-1',
      action: 'Binding',
      reason: 'Scheduled',
      note: `${'x'.repeat(1021)}...`,
      type: 'Normal',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    });
  });

  it('makes a series of an event that repeats: written at the second time, and again at its end', async () => {
    for (let i = 0; i < 5; i++) {
      record(`${i} nodes`);
      await clock.advance(1000);
    }
    assert.deepEqual(verbs(), ['create', 'patch']);
    assert.deepEqual(client.writes[1]!.body, { series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' } });
    await clock.advance(13 * MINUTE_MS);
    assert.deepEqual(
      stored().map(({ series }) => series),
      [{ count: 5, lastObservedTime: '2026-01-02T03:04:09.000000Z' }],
    );
    assert.deepEqual([verbs(), clock.pending], [['create', 'patch', 'patch'], 0]);
    record();
    await recorder.flush();
    assert.equal(stored().length, 2);
  });

  it('writes a series that goes on every half an hour', async () => {
    for (let i = 0; i < 70; i++) {
      record();
      await clock.advance(MINUTE_MS);
    }
    const patches = client.writes.filter(({ verb }) => verb === 'patch').length;
    assert.ok(patches === 2 || patches === 3, String(patches));
    assert.ok(stored()[0]!.series!.count > 30);
  });

  it('remembers a bounded number of events, and writes what it forgets', async () => {
    record();
    record();
    record();
    for (let i = 0; i < 4100; i++) {
      record('x', { ...pod, metadata: { ...pod.metadata, uid: `x${i}` } });
      if (i % 500 === 0) await recorder.flush();
    }
    await recorder.flush();
    assert.equal(stored()[0]!.series!.count, 3);
    assert.equal(client.cluster.calls.filter(({ verb }) => verb === 'create').length, 4101);
  });
});
