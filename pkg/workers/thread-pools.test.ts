import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { cronTab, cronTabs } from '../../test/fixtures/cron-tabs.ts';
import { Scheme } from '../api/scheme.ts';
import { PatchError } from '../apimachinery/patch/patch-error.ts';
import { StatusError } from '../apimachinery/errors/status-error.ts';
import { parseYaml } from '../codec/yaml.ts';
import { buildOpenApi, type OpenApiBuild } from '../server/openapi/build.ts';
import { buildV2Parts } from '../server/openapi/v2-parts.ts';
import { cached, resourceAt } from '../server/representation/cached-testing.ts';
import { encodeItems, type ItemBatch } from '../server/representation/encode-items.ts';
import type { PatchTask } from '../server/verbs/apply-patch.ts';
import { kindText } from '../server/representation/kind-text.ts';
import { packBytes, unpackBytes } from '../server/representation/packed-bytes.ts';
import { ThreadPools } from './thread-pools.ts';

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url));
const endlessFile = fileURLToPath(new URL('./endless-worker-testing.ts', import.meta.url));
const strategic = (document: unknown, patch: unknown): PatchTask => ({
  type: 'strategic',
  document,
  patch,
  message: 'core/v1.ConfigMap',
});
const rejected: PatchTask = {
  type: 'json',
  document: {},
  patch: [{ op: 'remove', path: '/absent' }],
  message: 'core/v1.ConfigMap',
};
const malformed: PatchTask = { ...rejected, patch: { op: 'remove' } };
const LARGE = 1_000_000;
const thresholds = { patchThreadBytes: 16 * 1024, yamlThreadBytes: 16 * 1024, encodeThreadBytes: 16 * 1024 };
const everything = { patchThreadBytes: 0, yamlThreadBytes: 0, encodeThreadBytes: 0 };

describe('ThreadPools', () => {
  let pools: ThreadPools;
  before(() => {
    pools = new ThreadPools({ workerFile, threadsMax: 1, thresholds });
  });
  after(() => pools.close());

  it('does small work inline, without a thread', async () => {
    const inline = new ThreadPools({ workerFile: '/nonexistent', thresholds });
    assert.deepEqual(await inline.patch(strategic({ a: 1 }, { a: null, b: 2 }), 16 * 1024 - 1), { b: 2 });
    assert.deepEqual(await inline.readYaml(Buffer.from('a: 1')), { value: { a: 1 } });
    assert.equal(Buffer.from(await inline.jsonToYaml(Buffer.from('{"a":1}'))).toString(), 'a: 1\n');
    assert.deepEqual(inline.counts, { patchInline: 1, patchPool: 0, codecPool: 0 });
    await inline.close();
  });

  it('merges inline at any size: a hop costs more', async () => {
    const inline = new ThreadPools({ workerFile: '/nonexistent', thresholds });
    assert.deepEqual(await inline.patch({ ...strategic({ a: 1 }, { a: null, b: 2 }), type: 'merge' }, LARGE), { b: 2 });
    await inline.close();
  });

  it('applies large patches on a thread, to the same result', async () => {
    const task = strategic(
      { metadata: { generation: 1n, labels: { c: 'x' } } },
      { metadata: { labels: { c: null, d: 'ü' } } },
    );
    const before = pools.counts.patchPool;
    assert.deepEqual(await pools.patch(task, LARGE), await pools.patch(task, 0));
    assert.equal(pools.counts.patchPool, before + 1);
  });

  it('keeps hostile keys data between threads', async () => {
    const patched = (await pools.patch(
      strategic(JSON.parse('{"data":{}}'), JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}')),
      LARGE,
    )) as { data: object };
    assert.deepEqual(
      [Object.keys(patched.data).sort(), Object.getPrototypeOf(patched.data)],
      [['__proto__', 'constructor'], Object.prototype],
    );
  });

  it('throws the same errors inline and from a thread', async () => {
    for (const task of [rejected, malformed]) {
      const errors = await Promise.all(
        [0, LARGE].map((bytes) =>
          pools.patch(task, bytes).then(
            () => assert.fail('applied'),
            (e: unknown) => e,
          ),
        ),
      );
      for (const error of errors) assert.ok(error instanceof PatchError, String(error));
      const [inline, thread] = errors as [PatchError, PatchError];
      assert.deepEqual(
        [thread.kind, thread.message, thread.toStatusError().code],
        [inline.kind, inline.message, inline.toStatusError().code],
      );
    }
    assert.notEqual(
      ...((await Promise.all(
        [rejected, malformed].map((task) =>
          pools.patch(task, LARGE).then(
            () => '',
            (e: PatchError) => e.kind,
          ),
        ),
      )) as [string, string]),
    );
  });

  it('serves others after an error of a request', async () => {
    await assert.rejects(
      pools.patch({ type: 'strategic', document: {}, patch: {}, message: 'no/such.Message' }, LARGE),
      (e) => !(e instanceof PatchError) && !(e instanceof StatusError),
    );
    assert.deepEqual(await pools.patch(strategic({}, { a: 1 }), LARGE), { a: 1 });
  });

  it('turns documents into YAML and back on a thread, to the same result', async () => {
    const threads = new ThreadPools({ workerFile, threadsMax: 1, thresholds: everything });
    const yaml = await threads.jsonToYaml(Buffer.from('{"a":9007199254740993,"b":["x"]}'));
    assert.deepEqual(
      Buffer.from(yaml),
      Buffer.from(await pools.jsonToYaml(Buffer.from('{"a":9007199254740993,"b":["x"]}'))),
    );
    assert.deepEqual(parseYaml(Buffer.from(yaml).toString()), { a: 9007199254740993n, b: ['x'] });
    assert.deepEqual(await threads.readYaml(yaml), { value: { a: 9007199254740993n, b: ['x'] } });
    assert.match((await threads.readYaml(Buffer.from('a: *nobody'))).error ?? '', /^yaml: line 1: /);
    assert.equal(threads.counts.codecPool, 3);
    await threads.close();
  });

  it('encodes items on a thread, to the same bytes', async () => {
    const maps = resourceAt('v1', 'configmaps');
    const object = cached(maps, { metadata: { name: 'm' }, data: { ['__proto__']: 'x' } }, 7);
    const batch = (): ItemBatch => ({
      groupVersion: 'v1',
      resource: 'configmaps',
      accepted: { media: 'json', pretty: false },
      values: packBytes([object.value, object.value]),
      revisions: Float64Array.of(7, 8),
    });
    const text = (items: readonly Uint8Array[]): string[] => items.map((bytes) => Buffer.from(bytes).toString());
    assert.deepEqual(text(unpackBytes(await pools.encodeItems(batch()))), text(unpackBytes(encodeItems(batch()))));
    await assert.rejects(pools.encodeItems({ ...batch(), resource: 'nothings' }), /no nothings in v1/);
  });

  it('encodes items of a kind that threads learn from the task', async () => {
    const definition = cronTabs();
    const tabs = new Scheme([definition]).hub(definition);
    const object = cached(tabs, cronTab('t', { schedule: '1 * * * *', unknown: 1 }), 7);
    const batch: ItemBatch = {
      groupVersion: tabs.groupVersion,
      resource: 'crontabs',
      kind: kindText(definition)!,
      accepted: { media: 'json', pretty: false },
      values: packBytes([object.value]),
      revisions: Float64Array.of(7),
    };
    const [item] = unpackBytes(await pools.encodeItems(batch));
    assert.deepEqual(JSON.parse(Buffer.from(item!).toString()), {
      metadata: { name: 't', resourceVersion: '7' },
      spec: { schedule: '1 * * * *' },
    });
  });

  it('builds OpenAPI documents on a thread, to the same bytes', async () => {
    const info = { title: 'Kubernetes', version: 'v1.0.0' };
    const build: OpenApiBuild = { resources: [], info, format: 'json', v3Document: 'version' };
    for (const wanted of [build, { ...build, format: 'protobuf' as const }]) {
      assert.deepEqual(Buffer.from(await pools.buildOpenApi(wanted)), Buffer.from(await buildOpenApi(wanted)));
    }
    const parts = { resources: [], format: 'json', groups: [''] } as const;
    assert.deepEqual(await pools.buildV2Parts(parts), await buildV2Parts(parts));
  });

  it('closes without having opened', () => new ThreadPools({ workerFile, thresholds }).close());
});

describe('ThreadPools, when patches take long', () => {
  const refusal = (code: number, message: string) => (e: unknown) =>
    e instanceof StatusError && e.code === code && e.message === message;
  const tooMany = refusal(429, 'too many large patches are being applied, please try again later');

  it('kills one that takes too long, while the main loop runs, and serves the next', async () => {
    const hostile = new ThreadPools({ workerFile: endlessFile, threadsMax: 1, patchTimeoutMs: 300, thresholds });
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const began = performance.now();
    await assert.rejects(
      hostile.patch(strategic('endless', {}), LARGE),
      refusal(504, 'Timeout: applying the patch took too long'),
    );
    clearInterval(timer);
    assert.ok(performance.now() - began < 5000);
    assert.ok(turns >= 5, String(turns));
    assert.equal(await hostile.patch(strategic('quick', {}), LARGE), 'done');
    await hostile.close();
  });

  it('counts neither the start of a thread nor the wait for one', async () => {
    const busy = new ThreadPools({ workerFile: endlessFile, threadsMax: 1, patchTimeoutMs: 250, thresholds });
    // Together they take three times the limit, and a thread from source takes longer than that to start.
    const results = await Promise.all(Array.from({ length: 5 }, () => busy.patch(strategic(150, {}), LARGE)));
    assert.deepEqual(new Set(results), new Set(['done']));
    await busy.close();
  });

  it('refuses those that would wait too long, or behind too many', async () => {
    const busy = new ThreadPools({
      workerFile: endlessFile,
      threadsMax: 1,
      patchTimeoutMs: 60_000,
      patchWaitMs: 1500,
      patchesWaitingMax: 1,
      thresholds,
    });
    await busy.patch(strategic('quick', {}), LARGE);
    const long = busy.patch(strategic(3000, {}), LARGE);
    const waiting = assert.rejects(busy.patch(strategic('quick', {}), LARGE), tooMany);
    await assert.rejects(busy.patch(strategic('quick', {}), LARGE), tooMany);
    await waiting;
    assert.equal(await long, 'done');
    assert.equal(await busy.patch(strategic('quick', {}), LARGE), 'done');
    await busy.close();
  });
});
