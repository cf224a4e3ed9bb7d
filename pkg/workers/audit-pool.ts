import type { Piscina } from 'piscina';
import type { EventBatch, SerializedBatch } from '../audit/events/serialize-batch.ts';
import type { WorkerReply, WorkerRequest } from './worker.ts';

/** Longer than batches are gathered: a server with some work keeps its thread. */
const IDLE_MS = 60_000;

/** The thread that serializes audit events. It starts with its first batch and ends when it has been idle. */
export class AuditPool {
  private readonly workerFile: string;
  private pool: Promise<Piscina> | undefined;

  /** `workerFile`: module that the thread runs. */
  constructor(workerFile: string) {
    this.workerFile = workerFile;
  }

  async serialize(batch: EventBatch): Promise<SerializedBatch> {
    this.pool ??= this.open();
    const reply = (await (
      await this.pool
    ).run({ kind: 'serialize-audit', batch } satisfies WorkerRequest)) as WorkerReply;
    if (reply.kind !== 'value') throw new Error(`unexpected reply ${reply.kind}`);
    return reply.value as SerializedBatch;
  }

  async close(): Promise<void> {
    await (await this.pool)?.destroy();
  }

  private async open(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    return new Piscina({ filename: this.workerFile, minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS });
  }
}
