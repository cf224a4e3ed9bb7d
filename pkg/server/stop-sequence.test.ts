import assert from 'node:assert/strict';
import { ServingState } from './serving-state.ts';
import { StopSequence, type StopTimes } from './stop-sequence.ts';

const never = new Promise<void>(() => undefined);

describe('StopSequence', () => {
  let steps: string[];
  let connections: number;
  let shortOver: Promise<void>;
  let requestsOver: Promise<void>;
  let state: ServingState;
  let sequence: StopSequence;

  function make(times: Partial<StopTimes> = {}, onStep: (step: string) => void = () => undefined): void {
    const step = (name: string) => (): void => {
      // Repeated as long as connections are open.
      if (steps.at(-1) !== name) steps.push(name);
      onStep(name);
    };
    state = new ServingState();
    sequence = new StopSequence({
      state,
      times: { delayMs: 0, lingerMs: 0, requestsMs: 0, streamsMs: 0, ...times },
      listener: {
        get openConnections() {
          return connections;
        },
        announceStop: step('announce'),
        stopListening: () => step(state.refusing ? 'stop listening, refuse' : 'stop listening')(),
        endSessions: step('end sessions'),
        endIdle: step('end idle'),
        close: async () => step('close')(),
      },
      watches: { endAll: () => step(state.refusing ? 'end watches' : 'end watches, serving')() },
      shortOver: () => shortOver,
      requestsOver: () => requestsOver,
    });
  }
  beforeEach(() => {
    [steps, connections, shortOver, requestsOver] = [[], 0, Promise.resolve(), Promise.resolve()];
  });

  it('announces first, serves for the delay, and ends watches in the middle of it and at its end', async () => {
    make({ delayMs: 40 });
    assert.deepEqual([state.stopAnnounced, state.refusing], [false, false]);
    const stopped = sequence.run();
    assert.deepEqual([state.stopAnnounced, state.refusing], [true, false]);
    await stopped;
    assert.equal(state.refusing, true);
    assert.deepEqual(steps, [
      'announce',
      'end watches, serving',
      'stop listening, refuse',
      'end watches',
      'end sessions',
      'close',
    ]);
  });

  it('counts the delay from when it was announced, once', async () => {
    make({ delayMs: 100_000 });
    sequence.announce();
    sequence.announce();
    assert.deepEqual(steps, ['announce']);
  });

  it('has no such delay where none is asked', async () => {
    make();
    await sequence.run();
    assert.deepEqual(steps, ['announce', 'stop listening, refuse', 'end watches', 'end sessions', 'close']);
  });

  it('leaves connections alone while a request is in flight, and ends idle ones then', async () => {
    connections = 2;
    let over!: () => void;
    shortOver = new Promise((resolve) => {
      over = resolve;
    });
    make({ requestsMs: 60_000, streamsMs: 60_000 }, (step) => {
      if (step === 'end sessions') setTimeout(over, 10);
      if (step === 'end idle') connections--;
    });
    await sequence.run();
    assert.deepEqual(steps, ['announce', 'stop listening, refuse', 'end watches', 'end sessions', 'end idle', 'close']);
  });

  it('waits for nothing without end', async () => {
    connections = 1;
    [shortOver, requestsOver] = [never, never];
    make({ lingerMs: 1, requestsMs: 1 });
    await sequence.run();
    assert.equal(steps.at(-1), 'close');
  });
});
