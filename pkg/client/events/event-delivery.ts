import { sleep, type Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { isAlreadyExists, isNotFound, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Resource } from '../../api/resource.ts';
import { callWithin } from '../call-within.ts';
import type { Client } from '../rest/client.ts';

/** Events that may wait to be sent. */
const WAITING_MAX = 1000;
/** Tries for one event: with the waits between them, some two minutes. */
const TRIES_MAX = 12;
const RETRY_MS = 10_000;
const ANSWER_MS = 30_000;
/** Events that are sent at the same time. */
const LANES = 16;

/** An event to be written: a new one, or the changes of one that was written before. */
export interface Delivery<T extends ApiObject> {
  /** The whole event; written where there is nothing to change any more. */
  readonly event: T;
  readonly patch?: object;
}

export interface EventDeliveryOptions<T extends ApiObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with each event that is lost, and once when too many wait. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the events of an object one after the other, in their order, and tries again where the server does not answer
 * or is busy. Holds a bounded number.
 */
export class EventDelivery<T extends ApiObject> {
  private readonly options: EventDeliveryOptions<T>;
  private readonly stopped = new AbortController();
  /** By the objects concerned. */
  private readonly lanes = Array.from({ length: LANES }, (): Lane<T> => ({ waiting: [], running: undefined }));
  private waitingCount = 0;
  private overflowed = false;

  constructor(options: EventDeliveryOptions<T>) {
    this.options = options;
  }

  send(delivery: Delivery<T>): void {
    if (this.stopped.signal.aborted) return;
    if (this.waitingCount >= WAITING_MAX) {
      if (!this.overflowed) this.report(new Error(`${WAITING_MAX} events wait to be sent; further ones are lost`));
      this.overflowed = true;
      return;
    }
    const lane = this.lanes[laneOf(delivery.event)]!;
    lane.waiting.push(delivery);
    this.waitingCount++;
    lane.running ??= this.sendAll(lane);
  }

  /** Resolves when nothing waits. */
  async flush(): Promise<void> {
    const running = (): Promise<void>[] => this.lanes.flatMap((lane) => lane.running ?? []);
    while (running().length > 0) await Promise.all(running());
  }

  async stop(): Promise<void> {
    this.stopped.abort(new Error('the recorder was stopped'));
    for (const lane of this.lanes) lane.waiting = [];
    await this.flush();
  }

  private async sendAll(lane: Lane<T>): Promise<void> {
    // Not within the call of the recorder.
    await undefined;
    for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
      this.waitingCount--;
      if (this.waitingCount < WAITING_MAX / 2) this.overflowed = false;
      await this.deliver(next);
    }
    lane.running = undefined;
  }

  private async deliver(delivery: Delivery<T>): Promise<void> {
    const { clock, random } = this.options;
    for (let tries = 1; !this.stopped.signal.aborted; tries++) {
      try {
        await callWithin(clock, ANSWER_MS, this.stopped.signal, (signal) => this.write(delivery, signal));
        return;
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (tries === TRIES_MAX || !isTransient(error)) return this.report(error);
        // The first wait is of any length, so that many recorders do not come back together.
        await sleep(clock, tries === 1 ? RETRY_MS * random() : RETRY_MS, this.stopped.signal);
      }
    }
  }

  private async write({ event, patch }: Delivery<T>, signal: AbortSignal): Promise<void> {
    const { client, resource } = this.options;
    const { namespace, name = '' } = event.metadata;
    if (patch !== undefined) {
      try {
        await client.patch(resource, { namespace, name }, 'strategic', patch, { signal });
        return;
      } catch (error) {
        // It has expired, or never got there.
        if (!isNotFound(error)) throw error;
      }
    }
    try {
      await client.create(resource, event, { signal });
    } catch (error) {
      // An earlier try whose answer was lost.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Never throws. */
  report(error: unknown): void {
    try {
      this.options.onError(error);
    } catch (failure) {
      process.emitWarning(`reporting a lost event failed: ${String(failure)}`);
    }
  }
}

interface Lane<T extends ApiObject> {
  waiting: Delivery<T>[];
  running: Promise<void> | undefined;
}

/** Names of events are those of their objects, a dot and a unique part. */
function laneOf({ metadata: { namespace = '', name = '' } }: ApiObject): number {
  let hash = 0;
  for (const character of namespace + name.slice(0, name.lastIndexOf('.')))
    hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash % LANES;
}

/** Anything but a refusal: no answer, or a server that is busy or not ready. */
function isTransient(error: unknown): boolean {
  return !(error instanceof StatusError) || [429, 503, 504].includes(error.code);
}
