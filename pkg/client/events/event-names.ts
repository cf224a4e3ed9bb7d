import { randomUUID } from 'node:crypto';
import type { Clock } from '../../apimachinery/clock.ts';
import { isDns1123Subdomain } from '../../apimachinery/names/names.ts';

/**
 * Names of new events: the object's name, and the time in nanoseconds, hexadecimal. The clock has milliseconds; no
 * two names have the same time.
 */
export class EventNames {
  private readonly clock: Clock;
  private lastNanos = 0n;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  next(objectName: string | undefined): string {
    const nowNanos = BigInt(Math.floor(this.clock.wallMs())) * 1_000_000n;
    this.lastNanos = nowNanos > this.lastNanos ? nowNanos : this.lastNanos + 1n;
    const name = `${objectName ?? ''}.${this.lastNanos.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : randomUUID();
  }
}
