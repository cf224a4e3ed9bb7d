/**
 * Finds the sizes from which a thread pays. Each task is done where it is and on a thread, in several sizes; printed is
 * how long the main loop is held and how long the answer takes, medians in milliseconds, one task at a time on a warm
 * thread. Run: node --import tsx test/bench/thread-thresholds.ts [KiB ...]
 */
import { fileURLToPath } from 'node:url';
import { allResources } from '../../pkg/api/all-resources.ts';
import { Scheme, type VersionedResource } from '../../pkg/api/scheme.ts';
import type { ApiObject } from '../../pkg/apimachinery/meta/object.ts';
import { normalize } from '../../pkg/codec/normalize.ts';
import { StorageCodec } from '../../pkg/registry/storage-codec.ts';
import { BulkEncoder } from '../../pkg/server/representation/bulk-encoder.ts';
import { formFor } from '../../pkg/server/representation/form-for.ts';
import { ByteBudget } from '../../pkg/storage/cacher/byte-budget.ts';
import { CachedObject } from '../../pkg/storage/cacher/cached-object.ts';
import type { PatchTask } from '../../pkg/server/verbs/apply-patch.ts';
import { ThreadPools } from '../../pkg/workers/thread-pools.ts';
import { podJson } from './workload/pod.ts';

const sizes = process.argv.slice(2).map(Number);
const KIB = sizes.length > 0 ? sizes : [1, 4, 16, 64, 256, 1024];
const ROUNDS = 9;
const workerFile = fileURLToPath(new URL('../../pkg/workers/worker.ts', import.meta.url));
const open = (bytes: number): ThreadPools =>
  new ThreadPools({
    workerFile,
    threadsMax: 1,
    thresholds: { patchThreadBytes: bytes, yamlThreadBytes: bytes, encodeThreadBytes: bytes },
  });
const inline = open(Infinity);
const threads = open(0);

interface Times {
  readonly held: number;
  readonly answered: number;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function measure(task: () => Promise<unknown>): Promise<Times> {
  for (let i = 0; i < 3; i++) await task();
  const held: number[] = [];
  const answered: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const before = performance.eventLoopUtilization();
    const started = performance.now();
    await task();
    answered.push(performance.now() - started);
    held.push(performance.eventLoopUtilization(before).active);
  }
  return { held: median(held), answered: median(answered) };
}

/** `make` gives, for about so many bytes, their exact number and the task with either pools. */
async function compare(
  name: string,
  make: (bytes: number) => { bytes: number; task: (pools: ThreadPools) => () => Promise<unknown> },
): Promise<void> {
  for (const kib of KIB) {
    const { bytes, task } = make(kib * 1024);
    const here = await measure(task(inline));
    const there = await measure(task(threads));
    const columns = [
      name.padEnd(22),
      String(bytes).padStart(9),
      here.held.toFixed(2).padStart(12),
      there.held.toFixed(2).padStart(12),
      there.answered.toFixed(2).padStart(12),
    ];
    console.log(columns.join(' '));
  }
}

const texts = (count: number, prefix = 'key'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}-${i}`, `value ${i}`]));
const configMap = (data: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bench', namespace: 'default' },
  data,
});
const patchOf = (type: PatchTask['type'], document: object, patch: object) => ({
  bytes: JSON.stringify(patch).length,
  task: (pools: ThreadPools) => () =>
    pools.patch({ type, document, patch, message: type === 'strategic' ? 'core/v1.Pod' : 'core/v1.ConfigMap' }, 0),
});

const scheme = new Scheme(allResources);
const pods = scheme.forResource('v1', 'pods')!;
const codec = new StorageCodec(scheme, pods.definition);
const podValue = codec.encode(toPod(1));

function toPod(i: number): ApiObject {
  return normalize<ApiObject>(JSON.parse(podJson(i, 'bench')), pods.schema);
}

function coldPods(bytes: number): CachedObject[] {
  const budget = new ByteBudget(Infinity);
  return Array.from(
    { length: Math.max(1, Math.round(bytes / podValue.length)) },
    (_, i) => new CachedObject(`pods/bench/pod-${i}`, 'bench', `pod-${i}`, i + 1, podValue, codec, budget),
  );
}

/** A list without cached forms: every run has new objects. */
async function listCold(
  pools: ThreadPools,
  bytes: number,
  media: 'json' | 'protobuf',
  target: VersionedResource,
): Promise<void> {
  const objects = coldPods(bytes);
  const accepted = { media, pretty: false };
  const form = formFor(target, accepted, null);
  const encoded = await new BulkEncoder(pools).encode(objects, target, { accepted, form });
  for (const object of objects) if (!encoded.has(object)) object.bytes(form.item);
}

console.log(
  `${'task'.padEnd(22)} ${'bytes'.padStart(9)} ${'inline held'.padStart(12)} ${'thread held'.padStart(12)} ${'answered'.padStart(12)}`,
);
await compare('JSON patch', (bytes) => {
  const operations = Math.min(9000, Math.ceil(bytes / 56));
  return patchOf(
    'json',
    configMap({}),
    Array.from({ length: operations }, (_, i) => ({
      op: 'add',
      path: `/data/key-${i}`,
      value: `${i}`.padEnd(bytes / operations - 46),
    })),
  );
});
await compare('merge patch', (bytes) => patchOf('merge', configMap(texts(100)), { data: texts(bytes / 24, 'new') }));
await compare('strategic merge patch', (bytes) =>
  patchOf('strategic', toPod(1), {
    spec: {
      containers: Array.from({ length: Math.ceil(bytes / 60) }, (_, i) => ({
        name: `container-${i}`,
        image: `image:${i}`,
      })),
    },
  }),
);
await compare('read YAML', (bytes) => {
  const yaml = Buffer.from(
    Object.entries(texts(bytes / 20))
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );
  return { bytes: yaml.length, task: (pools) => () => pools.readYaml(yaml) };
});
await compare('write YAML', (bytes) => {
  const json = Buffer.from(JSON.stringify(texts(bytes / 24)));
  return { bytes: json.length, task: (pools) => () => pools.jsonToYaml(json) };
});
for (const media of ['json', 'protobuf'] as const) {
  await compare(`cold list, ${media}`, (bytes) => ({
    bytes: coldPods(bytes).length * podValue.length,
    task: (pools) => () => listCold(pools, bytes, media, pods),
  }));
}
await Promise.all([inline.close(), threads.close()]);
