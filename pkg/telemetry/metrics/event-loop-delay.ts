import { HistogramSeries } from './histogram-series.ts';
import type { MetricFamily } from './metric-family.ts';

/** Every longer turn is measured; of shorter ones a share, by their length. Each measurement wakes an idle process. */
const INTERVAL_MS = 100;
const bounds: readonly number[] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * The delay of the main loop: the time that one turn keeps all others waiting. Unlike the gauges of Node's default
 * metrics these are counts since the start, which any number of scrapers can read and sum.
 */
export class EventLoopDelay {
  private readonly series = new HistogramSeries({}, bounds);
  private readonly timer: NodeJS.Timeout;
  private dueMs: number;

  constructor() {
    this.dueMs = performance.now() + INTERVAL_MS;
    this.timer = setInterval(() => this.tick(), INTERVAL_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'binnacle_event_loop_delay_seconds',
        type: 'histogram',
        help: 'How late timers of the main loop run.',
        series: () => [this.series],
      },
    ];
  }

  private tick(): void {
    const now = performance.now();
    this.series.observe(Math.max(0, now - this.dueMs) / 1000);
    this.dueMs = now + INTERVAL_MS;
  }
}
