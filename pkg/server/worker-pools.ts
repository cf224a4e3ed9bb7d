import type { YamlReading } from '../codec/yaml.ts';
import type { OpenApiBuild } from './openapi/build.ts';
import type { V2Build, V2Parts } from './openapi/v2-parts.ts';
import type { RecordedProfile } from './profiling/recorded-profile.ts';
import type { ItemBatch } from './representation/encode-items.ts';
import type { PackedBytes } from './representation/packed-bytes.ts';
import type { PatchTask } from './verbs/apply-patch.ts';

/**
 * Sizes in bytes from which work goes to a thread; what is smaller is done at once where it is.
 * `test/bench/thread-thresholds.ts` shows where a hop costs less than the work; lists are answered sooner in turns of
 * the main loop up to a larger size, though others wait longer meanwhile.
 */
export interface ThreadThresholds {
  /** `--patch-thread-bytes`: of the patch as sent. */
  readonly patchThreadBytes: number;
  /** `--yaml-thread-bytes`: of the text that is read or turned into YAML. */
  readonly yamlThreadBytes: number;
  /** `--encode-thread-bytes`: stored bytes of the objects that a list has to encode. */
  readonly encodeThreadBytes: number;
}

/** What the server has done on threads, so that its main loop stays free. The threads themselves are `pkg/workers`. */
export interface WorkerPools {
  readonly thresholds: ThreadThresholds;
  /** Tasks that ran, by pool and place; for metrics. */
  readonly counts: { readonly patchInline: number; readonly patchPool: number; readonly codecPool: number };

  /**
   * Applies a patch, on a thread when its body is large. Throws `PatchError`, 504 when it takes too long, or 429 when
   * too many others do.
   */
  patch(task: PatchTask, bodyBytes: number): Promise<unknown>;

  /** Turns JSON text into YAML. */
  jsonToYaml(json: Uint8Array): Promise<Uint8Array>;

  /** Reads a YAML body. */
  readYaml(yaml: Uint8Array): Promise<YamlReading>;

  /** Encodes stored objects as items of a list, on a thread; takes the memory of the batch's values. */
  encodeItems(batch: ItemBatch): Promise<PackedBytes>;

  /**
   * Builds a document of OpenAPI v3 on a thread: that takes up to seconds, and texts and schemas that nothing else
   * wants go with the thread.
   */
  buildOpenApi(build: OpenApiBuild): Promise<Uint8Array>;

  /** Builds parts of the document of OpenAPI v2, in the same way. */
  buildV2Parts(build: V2Build): Promise<V2Parts>;

  /** Writes a profile in the form of pprof. */
  encodeProfile(profile: RecordedProfile): Promise<Uint8Array>;

  /** Ends the threads; the server calls it last when it stops. */
  close(): Promise<void>;
}
