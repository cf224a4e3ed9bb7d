/** The figures of a queue at a scrape. */
export interface MeasuredQueue {
  readonly name: string;
  /** Keys that wait for a worker. */
  readonly length: number;
  /** Seconds that the keys in work have been worked on so far, added up. */
  unfinishedSeconds(): number;
  /** Seconds of the key that has been in work for the longest time; 0 where none is. */
  longestRunningSeconds(): number;
}

/** Called by a queue as it happens; must not throw. */
export interface QueueObserver {
  added(): void;
  /** A key was given back, to be added after a delay. */
  retried(): void;
  /** A worker took a key that had waited for so long. */
  waited(seconds: number): void;
  worked(seconds: number): void;
}

/** Where queues make themselves known. Queues of one name count together. */
export interface QueueMetrics {
  opened(queue: MeasuredQueue): QueueObserver;
}

const unobserved: QueueObserver = {
  added: () => undefined,
  retried: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
};

export const withoutQueueMetrics: QueueMetrics = { opened: () => unobserved };
