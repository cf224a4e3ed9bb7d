/**
 * How much of a falling demand is kept from one period to the next: it halves in five minutes of periods of ten
 * seconds.
 */
const KEPT = 0.977;

/** The seats that a level's requests need, queued ones included, over a period: mean, deviation and peak in time. */
export class SeatDemand {
  private lastAt: number;
  private value = 0;
  private seconds = 0;
  private sum = 0;
  private squares = 0;
  private peakValue = 0;
  /** Over periods: rises at once, and falls slowly. Undefined before the first is over. */
  smoothed: number | undefined;
  /** Of the last period. */
  average = 0;
  deviation = 0;
  peak = 0;

  constructor(now: number) {
    this.lastAt = now;
  }

  get current(): number {
    return this.value;
  }

  set(now: number, seats: number): void {
    this.integrate(now);
    this.value = seats;
    if (seats > this.peakValue) this.peakValue = seats;
  }

  /** Ends a period and begins the next. */
  endPeriod(now: number): void {
    this.integrate(now);
    const { seconds } = this;
    this.average = seconds > 0 ? this.sum / seconds : this.value;
    this.deviation = seconds > 0 ? Math.sqrt(Math.max(0, this.squares / seconds - this.average ** 2)) : 0;
    this.peak = this.peakValue;
    const envelope = this.average + this.deviation;
    this.smoothed = Math.max(envelope, KEPT * (this.smoothed ?? envelope) + (1 - KEPT) * envelope);
    this.seconds = this.sum = this.squares = 0;
    this.peakValue = this.value;
  }

  private integrate(now: number): void {
    const seconds = now - this.lastAt;
    this.lastAt = now;
    this.seconds += seconds;
    this.sum += seconds * this.value;
    this.squares += seconds * this.value ** 2;
  }
}
