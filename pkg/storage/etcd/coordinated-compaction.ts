/**
 * Compacts etcd's history to the revision of one interval ago. Servers that share an etcd take turns through one key,
 * with the protocol and the data of a stock API server, so that both may run side by side: the key's version counts
 * intervals, and the server whose compare-and-swap raises it does the compaction.
 */
import type { UpkeepReport } from '../upkeep-report.ts';
import type { EtcdTransport } from './transport.ts';

/** Outside of any store's prefix: history belongs to the whole etcd. */
const compactRevisionKey = Buffer.from('compact_rev_key');

export interface CoordinatedCompactionOptions {
  readonly transport: EtcdTransport;
  readonly compact: (revision: number) => Promise<void>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly report: UpkeepReport;
}

/** The state that one turn leaves for the next: the key's version, and the revision to compact to. */
export interface CompactionTurn {
  readonly version: number;
  readonly revision: number;
}

export class CoordinatedCompaction {
  readonly #options: CoordinatedCompactionOptions;
  readonly #timer: NodeJS.Timeout;
  #turn: CompactionTurn = { version: 0, revision: 0 };
  #running = false;
  #stopped = false;

  constructor(options: CoordinatedCompactionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#runTurn(), options.intervalMs).unref();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async #runTurn(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      this.#turn = await takeTurn(this.#options, this.#turn);
    } catch (error) {
      // The next turn compacts as much more.
      if (!this.#stopped) this.#options.report('history compaction', error);
    } finally {
      this.#running = false;
    }
  }
}

/**
 * Raises the key's version, or learns that another server did. Compacts when it was first and knows a revision from the
 * turn before.
 */
export async function takeTurn(
  options: Omit<CoordinatedCompactionOptions, 'intervalMs' | 'report'>,
  turn: CompactionTurn,
): Promise<CompactionTurn> {
  const answer = await options.transport.swap(
    {
      key: compactRevisionKey,
      compare: { target: 'version', value: turn.version },
      value: Buffer.from(String(turn.revision)),
    },
    { timeoutMs: options.timeoutMs },
  );
  if (!answer.succeeded) return { version: answer.current?.version ?? 0, revision: answer.revision };
  if (turn.revision > 0) await options.compact(turn.revision);
  return { version: turn.version + 1, revision: answer.revision };
}
