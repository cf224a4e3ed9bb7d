import { setTimeout as sleep } from 'node:timers/promises';
import type { ServingState } from './serving-state.ts';
import type { WatchSessions } from './watches/watch-sessions.ts';

/** How a server stops, milliseconds. */
export interface StopTimes {
  /** `--shutdown-delay-duration`: until load balancers have learned that the server stops. */
  readonly delayMs: number;
  /** For requests that were in transit when the server stopped to serve: they are read, and refused with a message. */
  readonly lingerMs: number;
  /** For short requests in flight: longer than a webhook takes by default. */
  readonly requestsMs: number;
  /** For streams, and for answers to slow readers, from the end of the delay. */
  readonly streamsMs: number;
}

export const defaultStopTimes = { lingerMs: 250, requestsMs: 11_000, streamsMs: 5000 } as const;
/**
 * For the rest of an answer, where the time of streams is over, and for what is left of requests when connections are
 * gone.
 */
const LAST_MS = 1000;
/** Between two looks for connections that have become idle. */
const IDLE_CHECK_MS = 20;

export interface StoppingListener {
  readonly openConnections: number;
  announceStop(): void;
  stopListening(): void;
  endSessions(): void;
  endIdle(): void;
  /** Cuts off what is still there. */
  close(): Promise<void>;
}

export interface StopParts {
  readonly times: StopTimes;
  readonly state: ServingState;
  readonly listener: StoppingListener;
  readonly watches: Pick<WatchSessions, 'endAll'>;
  /** Resolves when no request is in flight; `shortOver` when only long-running ones are. */
  readonly requestsOver: () => Promise<void>;
  readonly shortOver: () => Promise<void>;
}

/**
 * How a server stops: it announces that and continues to serve until the delay is over, then refuses new requests and
 * finishes those in flight. Watches end in the middle of the delay, where their clients still get the next one from
 * this server, on connections that announce their end; and at the end.
 */
export class StopSequence {
  private readonly parts: StopParts;

  constructor(parts: StopParts) {
    this.parts = parts;
  }

  announce(): void {
    const { state, listener } = this.parts;
    if (state.stopAnnounced) return;
    state.announceStop(performance.now());
    listener.announceStop();
  }

  /** Resolves when no connection is left, nor a request. */
  async run(): Promise<void> {
    const { listener, watches, times, state } = this.parts;
    this.announce();
    if (times.delayMs > 0) {
      await this.until(times.delayMs / 2);
      watches.endAll();
      await this.until(times.delayMs);
    }
    state.refuse();
    const startMs = performance.now();
    listener.stopListening();
    watches.endAll();
    await this.whileConnected(times.lingerMs);
    listener.endSessions();
    await bounded(this.parts.shortOver(), times.requestsMs);
    await this.whileConnected(Math.max(LAST_MS, startMs + times.streamsMs - performance.now()), () =>
      listener.endIdle(),
    );
    await listener.close();
    // A request ends after its connection: it is still to be counted and written down.
    await bounded(this.parts.requestsOver(), LAST_MS);
  }

  private async until(afterMs: number): Promise<void> {
    const leftMs = this.parts.state.announcedMs! + afterMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }

  /** For so long, or until no connection is left. */
  private async whileConnected(ms: number, act: () => void = () => undefined): Promise<void> {
    const endMs = performance.now() + ms;
    while (this.parts.listener.openConnections > 0 && performance.now() < endMs) {
      act();
      await sleep(IDLE_CHECK_MS);
    }
  }
}

async function bounded(promise: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  // The timer rejects when it is aborted below; errors of `promise` reach the caller.
  await Promise.race([promise, sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
