import type { MeasuredQueue, QueueMetrics, QueueObserver } from '../../client/workqueue/queue-observer.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';

/** Seconds, from 10 ns on. */
const BOUNDS = exponentialBounds(1e-8, 10, 10);

/** The numbers of all queues of one name. */
class QueueSeries implements QueueObserver {
  readonly labels: Labels;
  readonly waits: HistogramSeries;
  readonly works: HistogramSeries;
  adds = 0;
  retries = 0;
  /** The queue that was opened last under the name. */
  queue: MeasuredQueue;

  constructor(queue: MeasuredQueue) {
    this.queue = queue;
    this.labels = { name: queue.name };
    this.waits = new HistogramSeries(this.labels, BOUNDS);
    this.works = new HistogramSeries(this.labels, BOUNDS);
  }

  added(): void {
    this.adds++;
  }

  retried(): void {
    this.retries++;
  }

  waited(seconds: number): void {
    this.waits.observe(seconds);
  }

  worked(seconds: number): void {
    this.works.observe(seconds);
  }
}

/** The length of controllers' queues and the time of their keys, under the names of the Go client library. */
export class WorkQueueSeries implements QueueMetrics {
  private readonly byName = new Map<string, QueueSeries>();

  opened(queue: MeasuredQueue): QueueObserver {
    const present = this.byName.get(queue.name);
    if (present !== undefined) {
      present.queue = queue;
      return present;
    }
    const series = new QueueSeries(queue);
    this.byName.set(queue.name, series);
    return series;
  }

  families(): readonly MetricFamily[] {
    const each = (value: (series: QueueSeries) => number) => (): Sample[] =>
      [...this.byName.values()].map((series) => ({ labels: series.labels, value: value(series) }));
    return [
      {
        name: 'workqueue_depth',
        type: 'gauge',
        help: 'Keys that wait for a worker.',
        samples: each(({ queue }) => queue.length),
      },
      {
        name: 'workqueue_adds_total',
        type: 'counter',
        help: 'Keys that were added to the queue.',
        samples: each(({ adds }) => adds),
      },
      {
        name: 'workqueue_queue_duration_seconds',
        type: 'histogram',
        help: 'How long keys waited before a worker took them.',
        series: () => [...this.byName.values()].map(({ waits }) => waits),
      },
      {
        name: 'workqueue_work_duration_seconds',
        type: 'histogram',
        help: 'How long workers took for a key.',
        series: () => [...this.byName.values()].map(({ works }) => works),
      },
      {
        name: 'workqueue_unfinished_work_seconds',
        type: 'gauge',
        help: 'Seconds that the keys in work have taken so far; large values say that workers are stuck.',
        samples: each(({ queue }) => queue.unfinishedSeconds()),
      },
      {
        name: 'workqueue_longest_running_processor_seconds',
        type: 'gauge',
        help: 'Seconds that the key in work for the longest time has taken so far.',
        samples: each(({ queue }) => queue.longestRunningSeconds()),
      },
      {
        name: 'workqueue_retries_total',
        type: 'counter',
        help: 'Keys that were given back, to be added after a delay.',
        samples: each(({ retries }) => retries),
      },
    ];
  }
}
