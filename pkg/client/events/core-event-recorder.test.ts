import assert from 'node:assert/strict';
import { FakeClock, settle } from '../../apimachinery/clock-testing.ts';
import { forbidden, serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { Event } from '../../generated/types/core-v1.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { ConnectionError } from '../rest/client.ts';
import { CoreEventRecorder } from './core-event-recorder.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'web', uid: 'u1', resourceVersion: '7' },
};
const other = { ...pod, metadata: { ...pod.metadata, name: 'other', uid: 'u2' } };

describe('CoreEventRecorder', () => {
  let clock: FakeClock;
  let client: FakeClient;
  let errors: string[];
  let recorder: CoreEventRecorder;
  beforeEach(() => {
    clock = new FakeClock();
    client = new FakeClient();
    errors = [];
    recorder = new CoreEventRecorder({
      client,
      source: { component: 'deployment-controller' },
      clock,
      random: () => 0.5,
      onError: (error) => errors.push((error as Error).message),
    });
  });
  afterEach(() => recorder.stop());
  const record = (note: string, about: object = pod, reason = 'Scaled'): void =>
    recorder.event(about as typeof pod, { type: 'Normal', reason, note });
  const stored = (): Event[] => [...client.cluster.objects.values()] as unknown as Event[];

  it('writes an event as controllers write them', async () => {
    record('Scaled up');
    await recorder.flush();
    const [{ metadata, ...event }] = stored() as [Event];
    const hex = (BigInt(clock.wallMs()) * 1_000_000n).toString(16);
    assert.deepEqual([metadata.name, metadata.namespace], [`web.${hex}`, 'ns']);
    assert.deepEqual(event, {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { kind: 'Pod', namespace: 'ns', name: 'web', uid: 'u1', apiVersion: 'v1', resourceVersion: '7' },
      reason: 'Scaled',
      message: 'Scaled up',
      source: { component: 'deployment-controller' },
      firstTimestamp: '2026-01-02T03:04:05Z',
      lastTimestamp: '2026-01-02T03:04:05Z',
      count: 1,
      type: 'Normal',
      eventTime: null,
      reportingComponent: 'deployment-controller',
      reportingInstance: '',
    });
  });

  it('writes events about objects without a namespace into the default one, under a name that is valid', async () => {
    record('a', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    record('b', { kind: 'Odd', name: 'system:Odd' });
    await recorder.flush();
    assert.deepEqual(
      stored().map(({ metadata }) => metadata.namespace),
      ['default', 'default'],
    );
    assert.match(stored()[1]!.metadata.name!, /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('counts equal events in one object, by patches', async () => {
    record('a');
    await clock.advance(5000);
    record('a');
    await clock.advance(5000);
    record('a');
    await recorder.flush();
    const [event] = stored() as [Event];
    assert.deepEqual(
      [event.count, event.firstTimestamp, event.lastTimestamp],
      [3, '2026-01-02T03:04:05Z', '2026-01-02T03:04:15Z'],
    );
    assert.deepEqual(
      client.writes.map(({ verb }) => verb),
      ['create', 'patch', 'patch'],
    );
    assert.deepEqual(client.writes[2]!.body, { count: 3, lastTimestamp: '2026-01-02T03:04:15Z', message: 'a' });
  });

  it('writes the whole event again where the patched one has expired', async () => {
    record('a');
    await recorder.flush();
    client.cluster.objects.clear();
    record('a');
    await recorder.flush();
    assert.deepEqual(
      stored().map(({ count, message }) => [count, message]),
      [[2, 'a']],
    );
  });

  it('combines like events from the tenth message within ten minutes on', async () => {
    for (let i = 1; i <= 12; i++) record(`message ${i}`);
    record('another reason', pod, 'Other');
    await recorder.flush();
    const messages = stored().map(({ message, count }) => `${message} ×${count}`);
    assert.deepEqual(messages, [
      ...Array.from({ length: 9 }, (_, i) => `message ${i + 1} ×1`),
      '(combined from similar events): message 12 ×3',
      'another reason ×1',
    ]);
    await clock.advance(601_000);
    record('message 13');
    await recorder.flush();
    assert.equal(stored().at(-1)!.message, 'message 13');
  });

  it('leaves out what is too much about one object, which counts all the same; others are not concerned', async () => {
    for (let i = 0; i < 40; i++) record('same');
    record('of another', other);
    await recorder.flush();
    assert.equal(client.writes.length, 26);
    assert.deepEqual(
      stored().map(({ count }) => count),
      [25, 1],
    );
    await clock.advance(300_000);
    record('same');
    record('same');
    await recorder.flush();
    assert.equal(stored()[0]!.count, 41);
  });

  it('tries again while the server is away, in order, and takes an event for written that got through unseen', async () => {
    let failing = 3;
    client.before = ({ verb, name }) => {
      if (failing-- > 2) throw new ConnectionError('away');
      if (failing === 1) throw serviceUnavailable('busy');
      if (failing === 0) {
        // The write gets through; its answer does not.
        client.cluster.objects.set(`events/ns/${name}`, client.cluster.calls.at(-1)!.body as never);
        throw new ConnectionError(`${verb} broke off`);
      }
    };
    record('a');
    record('b');
    await clock.advance(60_000);
    await recorder.flush();
    assert.deepEqual(
      stored().map(({ message }) => message),
      ['a', 'b'],
    );
    assert.deepEqual(errors, []);
  });

  it('drops an event that the server refuses at once, and one that it does not answer for long, and goes on', async () => {
    client.before = ({ body }) => {
      if ((body as Event).message === 'refused') throw forbidden({ group: '', resource: 'events' }, 'e', 'no');
    };
    record('refused');
    record('written');
    await recorder.flush();
    assert.deepEqual([stored().length, errors.length, client.writes.length], [1, 1, 2]);
    client.before = () => Promise.reject(new ConnectionError('away'));
    record('lost');
    await clock.advance(130_000);
    await recorder.flush();
    assert.deepEqual([client.writes.length, errors.at(-1)], [2 + 12, 'away']);
  });

  it('gives up a call that is never answered', async () => {
    client.before = () => new Promise(() => undefined);
    record('a');
    await clock.advance(12 * 30_000 + 12 * 10_000);
    await recorder.flush();
    assert.deepEqual(errors, ['no answer within 30 s']);
  });

  it('holds a bounded number of events while nothing gets through, and reports that once', async () => {
    client.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason as Error));
      });
    for (let i = 0; i < 3000; i++) record('x', { ...pod, metadata: { ...pod.metadata, name: `p${i}`, uid: `u${i}` } });
    await settle();
    assert.deepEqual(errors, ['1000 events wait to be sent; further ones are lost']);
    await recorder.stop();
    assert.equal(clock.pending, 0);
    record('after the stop');
    await settle();
    // Those that were being sent, and none after the stop.
    assert.equal(client.writes.length, 16);
  });

  it('sends the events of one object in order, and waits for none of another object', async () => {
    const answers: (() => void)[] = [];
    client.before = () => new Promise((resolve) => answers.push(resolve));
    record('first');
    record('second');
    record('beside', other);
    await settle();
    assert.equal(answers.length, 2);
    answers.splice(0).forEach((answer) => answer());
    await settle();
    assert.equal(answers.length, 1);
    client.before = () => undefined;
    answers[0]!();
    await recorder.flush();
    assert.deepEqual(
      stored().map(({ message }) => message),
      ['first', 'beside', 'second'],
    );
  });

  it('never throws into its caller', async () => {
    const quiet = new CoreEventRecorder({
      client,
      source: { component: 'c' },
      clock,
      onError: () => {
        throw new Error('a report that fails');
      },
    });
    quiet.event(undefined as never, { type: 'Normal', reason: 'r', note: 'n' });
    client.before = () => Promise.reject(forbidden({ group: '', resource: 'events' }, 'e', 'no'));
    quiet.event(pod, { type: 'Normal', reason: 'r', note: 'n' });
    await quiet.flush();
  });
});
