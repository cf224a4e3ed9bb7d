import type { Piscina } from 'piscina';
import { timeout } from '../apimachinery/status-error.ts';
import { PatchError, type PatchErrorKind } from '../apimachinery/patch/patch-error.ts';
import type { YamlReading } from '../codec/yaml.ts';
import { applyPatch, type PatchTask } from './apply-patch.ts';
import type { WorkerReply, WorkerRequest } from './worker.ts';

/**
 * The thread pools. A pool starts its first thread with its first task and lets idle threads go, so that a small server stays small. Work below
 * the inline threshold runs on the main loop: a hop to a thread costs more than the work.
 */
export interface WorkerPoolsOptions {
  /** Module that a worker thread runs; the build's or, in tests, the source. */
  readonly workerFile: string;
  readonly threadsMax?: number;
  /** Patches whose patch body is at most this long run inline, bytes. */
  readonly inlinePatchBytesMax?: number;
  /** A patch that takes longer dies with its thread, milliseconds. */
  readonly patchTimeoutMs?: number;
}

/** Where a hop becomes cheaper than the work: see docs/performance.md. */
export const defaultWorkerPoolOptions = { threadsMax: 2, inlinePatchBytesMax: 16 * 1024, patchTimeoutMs: 5000 } as const;
const IDLE_MS = 10_000;

export class WorkerPools {
  private readonly options: WorkerPoolsOptions;
  private patchPool: Promise<Piscina> | undefined;
  private codecPool: Promise<Piscina> | undefined;
  /** Tasks that ran, by pool and place; for metrics. */
  readonly counts = { patchInline: 0, patchPool: 0, codecPool: 0 };

  constructor(options: WorkerPoolsOptions) {
    this.options = options;
  }

  /** Applies a patch, on a thread when its body is large. Throws `PatchError`, or 504 when it takes too long. */
  async patch(task: PatchTask, bodyBytes: number): Promise<unknown> {
    if (bodyBytes <= (this.options.inlinePatchBytesMax ?? defaultWorkerPoolOptions.inlinePatchBytesMax)) {
      this.counts.patchInline++;
      return applyPatch(task);
    }
    this.counts.patchPool++;
    this.patchPool ??= this.open();
    const pool = await this.patchPool;
    const signal = AbortSignal.timeout(this.options.patchTimeoutMs ?? defaultWorkerPoolOptions.patchTimeoutMs);
    let reply: WorkerReply;
    try {
      reply = (await pool.run({ kind: 'patch', task } satisfies WorkerRequest, { signal })) as WorkerReply;
    } catch (error) {
      if (signal.aborted) throw timeout('applying the patch took too long', 0);
      throw error;
    }
    if (reply.kind === 'patch-error') throw new PatchError(reply.errorKind as PatchErrorKind, reply.message);
    return reply.value;
  }

  /** Turns JSON text into YAML on a thread. */
  async jsonToYaml(json: Uint8Array): Promise<Uint8Array> {
    return (await this.code({ kind: 'json-to-yaml', json })) as Uint8Array;
  }

  /** Reads a YAML body on a thread. */
  async readYaml(yaml: Uint8Array): Promise<YamlReading> {
    return (await this.code({ kind: 'read-yaml', yaml })) as YamlReading;
  }

  private async code(request: WorkerRequest): Promise<unknown> {
    this.counts.codecPool++;
    this.codecPool ??= this.open();
    const reply = (await (await this.codecPool).run(request)) as WorkerReply;
    if (reply.kind !== 'value') throw new Error(`unexpected reply ${reply.kind}`);
    return reply.value;
  }

  async close(): Promise<void> {
    for (const pool of [this.patchPool, this.codecPool]) await (await pool)?.destroy();
  }

  private async open(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    return new Piscina({
      filename: this.options.workerFile,
      minThreads: 0,
      maxThreads: this.options.threadsMax ?? defaultWorkerPoolOptions.threadsMax,
      idleTimeout: IDLE_MS,
    });
  }
}
