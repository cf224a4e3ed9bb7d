import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';
import type { RawRequest } from '../request/request-context.ts';
import { PacedStream, type Pace, type Wait } from './paced-stream.ts';

/** The rate of the long-running requests of one connection together, each direction separately. */
export interface ConnectionRate {
  toClient(): PacedStream;
  fromClient(): PacedStream;
}

export interface ConnectionRatesSettings {
  /** Above 0. */
  readonly bytesPerSecond: number;
  readonly nowMs?: () => number;
  readonly wait?: Wait;
}

/** Share of a second's bytes that goes out at once: streams move on several times a second. */
const SLICES_PER_SECOND = 10;

/** `--max-connection-bytes-per-sec`: the rate of each connection of a client, kept as long as the connection. */
export class ConnectionRates {
  private readonly rates = new WeakMap<object, ConnectionRate>();
  private readonly settings: Required<ConnectionRatesSettings>;

  constructor({ bytesPerSecond, nowMs = () => performance.now(), wait = waitUnreferenced }: ConnectionRatesSettings) {
    this.settings = { bytesPerSecond, nowMs, wait };
  }

  /** The rate of the connection on which a request came. */
  of(request: RawRequest): ConnectionRate {
    const connection = ('stream' in request ? request.stream.session : undefined) ?? request.socket;
    const known = this.rates.get(connection);
    if (known !== undefined) return known;
    const [down, up] = [this.pace(), this.pace()];
    const rate: ConnectionRate = { toClient: () => new PacedStream(down), fromClient: () => new PacedStream(up) };
    this.rates.set(connection, rate);
    return rate;
  }

  private pace(): Pace {
    const { bytesPerSecond, nowMs, wait } = this.settings;
    const sliceBytes = Math.max(1, Math.floor(bytesPerSecond / SLICES_PER_SECOND));
    return {
      bucket: new TokenBucket({ burst: sliceBytes, perSecond: bytesPerSecond }, nowMs),
      sliceBytes,
      bytesPerSecond,
      wait,
    };
  }
}

/**
 * The bytes of `source` passed through `pace`, which is destroyed when `sink` closes; the source itself without a pace.
 */
export function paced(source: Readable, pace: PacedStream | undefined, sink: EventEmitter): Readable {
  if (pace === undefined) return source;
  sink.once('close', () => pace.destroy());
  return source.pipe(pace);
}

function waitUnreferenced(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
}
