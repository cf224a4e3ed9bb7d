import { PatchError } from '../apimachinery/patch/patch-error.ts';
import { parseJson } from '../apimachinery/json/json.ts';
import { serializeBatch, type EventBatch } from '../audit/events/serialize-batch.ts';
import { readYaml, toYaml } from '../codec/yaml.ts';
import { buildOpenApi, type OpenApiBuild } from '../server/openapi/build.ts';
import { buildV2Parts, type V2Build } from '../server/openapi/v2-parts.ts';
import { encodeProfile } from '../server/profiling/encode-profile.ts';
import type { RecordedProfile } from '../server/profiling/recorded-profile.ts';
import { encodeItems, type ItemBatch } from '../server/representation/encode-items.ts';
import { applyPatch, type PatchTask } from '../server/verbs/apply-patch.ts';
import { markStarted, type StartMark } from './run-time-limit.ts';

/** A request to a thread. */
export type WorkerRequest =
  | { readonly kind: 'patch'; readonly task: PatchTask; readonly started: StartMark }
  | { readonly kind: 'json-to-yaml'; readonly json: Uint8Array }
  | { readonly kind: 'read-yaml'; readonly yaml: Uint8Array }
  | { readonly kind: 'encode-items'; readonly batch: ItemBatch }
  | { readonly kind: 'build-openapi'; readonly build: OpenApiBuild }
  | { readonly kind: 'build-openapi-v2'; readonly build: V2Build }
  | { readonly kind: 'serialize-audit'; readonly batch: EventBatch }
  | { readonly kind: 'encode-profile'; readonly profile: RecordedProfile };

/** Errors that callers distinguish are passed as data, since classes do not survive the copy between threads. */
export type WorkerReply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'patch-error'; readonly errorKind: string; readonly message: string };

/** The entry of every worker thread; pools call it with one request at a time. */
export async function run(request: WorkerRequest): Promise<WorkerReply> {
  switch (request.kind) {
    case 'patch':
      return runPatch(request.task, request.started);
    case 'json-to-yaml':
      return { kind: 'value', value: Buffer.from(toYaml(parseJson(request.json))) };
    case 'read-yaml':
      return { kind: 'value', value: readYaml(request.yaml) };
    case 'encode-items':
      return { kind: 'value', value: encodeItems(request.batch) };
    case 'build-openapi':
      return { kind: 'value', value: await buildOpenApi(request.build) };
    case 'build-openapi-v2':
      return { kind: 'value', value: await buildV2Parts(request.build) };
    case 'serialize-audit':
      return { kind: 'value', value: serializeBatch(request.batch) };
    case 'encode-profile':
      return { kind: 'value', value: encodeProfile(request.profile) };
  }
}

function runPatch(task: PatchTask, started: StartMark): WorkerReply {
  markStarted(started);
  try {
    return { kind: 'value', value: applyPatch(task) };
  } catch (error) {
    if (error instanceof PatchError) return { kind: 'patch-error', errorKind: error.kind, message: error.message };
    throw error;
  }
}

// Pools load the module's default export.
// oxlint-disable-next-line import/no-default-export
export default run;
