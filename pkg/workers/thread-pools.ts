import type { Piscina } from 'piscina';
import { parseJson } from '../apimachinery/json/json.ts';
import { timeout, tooManyRequests } from '../apimachinery/errors/status-error.ts';
import { PatchError, type PatchErrorKind } from '../apimachinery/patch/patch-error.ts';
import { readYaml, toYaml, type YamlReading } from '../codec/yaml.ts';
import type { OpenApiBuild } from '../server/openapi/build.ts';
import type { V2Build, V2Parts } from '../server/openapi/v2-parts.ts';
import type { RecordedProfile } from '../server/profiling/recorded-profile.ts';
import type { ItemBatch } from '../server/representation/encode-items.ts';
import { applyPatch, type PatchTask } from '../server/verbs/apply-patch.ts';
import type { PackedBytes } from '../server/representation/packed-bytes.ts';
import type { ThreadThresholds, WorkerPools } from '../server/worker-pools.ts';
import { RunTimeLimit } from './run-time-limit.ts';
import type { WorkerReply, WorkerRequest } from './worker.ts';

/**
 * The thread pools. A pool starts its first thread with its first task and ends idle threads, so that a small server
 * stays small.
 */
export interface ThreadPoolsOptions {
  /** Module that a worker thread runs; the build's or, in tests, the source. */
  readonly workerFile: string;
  readonly thresholds: ThreadThresholds;
  /** Of each pool. */
  readonly threadsMax?: number;
  /** A patch that takes longer is killed with its thread, milliseconds; its wait for one does not count. */
  readonly patchTimeoutMs?: number;
  /** Patches that may wait for a thread, and how long, milliseconds. */
  readonly patchesWaitingMax?: number;
  readonly patchWaitMs?: number;
}

const defaults = { threadsMax: 2, patchTimeoutMs: 5000, patchesWaitingMax: 64, patchWaitMs: 30_000 };
const IDLE_MS = 10_000;
const RETRY_SECONDS = 1;

export class ThreadPools implements WorkerPools {
  readonly thresholds: ThreadThresholds;
  private readonly options: Required<ThreadPoolsOptions>;
  private patchPool: Promise<Piscina> | undefined;
  private codecPool: Promise<Piscina> | undefined;
  private patchesInFlight = 0;
  readonly counts = { patchInline: 0, patchPool: 0, codecPool: 0 };

  constructor(options: ThreadPoolsOptions) {
    this.options = { ...defaults, ...options };
    this.thresholds = options.thresholds;
  }

  async patch(task: PatchTask, bodyBytes: number): Promise<unknown> {
    // Merging takes time in proportion to both documents, and less than their copies to a thread and back.
    if (task.type === 'merge' || bodyBytes < this.thresholds.patchThreadBytes) {
      this.counts.patchInline++;
      return applyPatch(task);
    }
    const { threadsMax, patchesWaitingMax } = this.options;
    if (this.patchesInFlight >= threadsMax + patchesWaitingMax) throw tooManyPatches();
    this.counts.patchPool++;
    this.patchesInFlight++;
    try {
      return await this.patchOnThread(task);
    } finally {
      this.patchesInFlight--;
    }
  }

  private async patchOnThread(task: PatchTask): Promise<unknown> {
    this.patchPool ??= this.open();
    const pool = await this.patchPool;
    const limit = new RunTimeLimit({ waitMsMax: this.options.patchWaitMs, runMsMax: this.options.patchTimeoutMs });
    let reply: WorkerReply;
    try {
      reply = (await pool.run({ kind: 'patch', task, started: limit.mark } satisfies WorkerRequest, {
        signal: limit.signal,
      })) as WorkerReply;
    } catch (error) {
      if (limit.passed === 'waiting') throw tooManyPatches();
      if (limit.passed === 'running') throw timeout('applying the patch took too long', 0);
      throw error;
    } finally {
      limit.stop();
    }
    if (reply.kind === 'patch-error') throw new PatchError(reply.errorKind as PatchErrorKind, reply.message);
    return reply.value;
  }

  async jsonToYaml(json: Uint8Array): Promise<Uint8Array> {
    if (json.length >= this.thresholds.yamlThreadBytes)
      return (await this.code({ kind: 'json-to-yaml', json })) as Uint8Array;
    return Buffer.from(toYaml(parseJson(json)));
  }

  async readYaml(yaml: Uint8Array): Promise<YamlReading> {
    if (yaml.length >= this.thresholds.yamlThreadBytes)
      return (await this.code({ kind: 'read-yaml', yaml })) as YamlReading;
    return readYaml(yaml);
  }

  async encodeItems(batch: ItemBatch): Promise<PackedBytes> {
    return (await this.code({ kind: 'encode-items', batch }, [batch.values.bytes.buffer])) as PackedBytes;
  }

  async buildOpenApi(build: OpenApiBuild): Promise<Uint8Array> {
    return (await this.code({ kind: 'build-openapi', build })) as Uint8Array;
  }

  async buildV2Parts(build: V2Build): Promise<V2Parts> {
    return (await this.code({ kind: 'build-openapi-v2', build })) as V2Parts;
  }

  async encodeProfile(profile: RecordedProfile): Promise<Uint8Array> {
    return (await this.code({ kind: 'encode-profile', profile })) as Uint8Array;
  }

  private async code(request: WorkerRequest, transferList: ArrayBuffer[] = []): Promise<unknown> {
    this.counts.codecPool++;
    this.codecPool ??= this.open();
    const reply = (await (await this.codecPool).run(request, { transferList })) as WorkerReply;
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
      maxThreads: this.options.threadsMax,
      idleTimeout: IDLE_MS,
    });
  }
}

function tooManyPatches(): Error {
  return tooManyRequests('too many large patches are being applied, please try again later', RETRY_SECONDS);
}
