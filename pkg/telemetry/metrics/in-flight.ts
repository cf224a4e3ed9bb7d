/**
 * How many requests are in flight, and the maximum of the last whole second: a current value says little at a scrape
 * every half minute.
 */
export class InFlightMaximum {
  private count = 0;
  private most = 0;
  private second = 0;
  private lastMost = 0;

  /** Times are milliseconds of one clock. */
  entered(atMs: number): void {
    this.turn(atMs);
    this.count++;
    if (this.count > this.most) this.most = this.count;
  }

  left(atMs: number): void {
    this.turn(atMs);
    this.count--;
  }

  mostLately(atMs: number): number {
    this.turn(atMs);
    return this.lastMost;
  }

  private turn(atMs: number): void {
    const second = Math.floor(atMs / 1000);
    if (second <= this.second) return;
    this.lastMost = second === this.second + 1 ? this.most : this.count;
    this.most = this.count;
    this.second = second;
  }
}
