import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { PatchError } from '../apimachinery/patch/patch-error.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { parseYaml } from '../codec/yaml.ts';
import type { PatchTask } from './apply-patch.ts';
import { WorkerPools } from './worker-pools.ts';

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url));
const merge = (document: unknown, patch: unknown): PatchTask => ({ type: 'merge', document, patch, message: 'core/v1.ConfigMap' });
const rejected: PatchTask = { type: 'json', document: {}, patch: [{ op: 'remove', path: '/absent' }], message: 'core/v1.ConfigMap' };
const malformed: PatchTask = { ...rejected, patch: { op: 'remove' } };
const LARGE = 1_000_000;

describe('WorkerPools', () => {
  let pools: WorkerPools;
  before(() => { pools = new WorkerPools({ workerFile, threadsMax: 1 }); });
  after(() => pools.close());

  it('applies small patches inline, without a thread', async () => {
    const inline = new WorkerPools({ workerFile: '/nonexistent' });
    assert.deepEqual(await inline.patch(merge({ a: 1 }, { a: null, b: 2 }), 16 * 1024), { b: 2 });
    assert.deepEqual(inline.counts, { patchInline: 1, patchPool: 0, codecPool: 0 });
    await inline.close();
  });

  it('applies large patches on a thread, to the same result', async () => {
    const task = merge({ a: 1n, b: { c: [1, 2] } }, { b: { c: null, d: 'ü' } });
    const before = pools.counts.patchPool;
    assert.deepEqual(await pools.patch(task, LARGE), await pools.patch(task, 0));
    assert.equal(pools.counts.patchPool, before + 1);
  });

  it('keeps hostile keys data on their way between threads', async () => {
    const patched = (await pools.patch(merge(JSON.parse('{"data":{}}'), JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}')), LARGE)) as { data: object };
    assert.deepEqual([Object.keys(patched.data).sort(), Object.getPrototypeOf(patched.data)], [['__proto__', 'constructor'], Object.prototype]);
  });

  it('throws the same errors inline and from a thread', async () => {
    for (const task of [rejected, malformed]) {
      const errors = await Promise.all([0, LARGE].map((bytes) => pools.patch(task, bytes).then(() => assert.fail('applied'), (e: unknown) => e)));
      for (const error of errors) assert.ok(error instanceof PatchError, String(error));
      const [inline, thread] = errors as [PatchError, PatchError];
      assert.deepEqual([thread.kind, thread.message, thread.toStatusError().code], [inline.kind, inline.message, inline.toStatusError().code]);
    }
    assert.notEqual(...(await Promise.all([rejected, malformed].map((task) => pools.patch(task, LARGE).then(() => '', (e: PatchError) => e.kind))) as [string, string]));
  });

  it('serves others after an error that is its own', async () => {
    await assert.rejects(pools.patch({ type: 'strategic', document: {}, patch: {}, message: 'no/such.Message' }, LARGE), (e) => !(e instanceof PatchError) && !(e instanceof StatusError));
    assert.deepEqual(await pools.patch(merge({}, { a: 1 }), LARGE), { a: 1 });
  });

  it('kills a patch that takes too long, while the main loop runs, and serves the next', async () => {
    const hostile = new WorkerPools({ workerFile: fileURLToPath(new URL('./endless-worker-testing.ts', import.meta.url)), threadsMax: 1, patchTimeoutMs: 1500 });
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const began = performance.now();
    await assert.rejects(hostile.patch(merge('endless', {}), LARGE), (e) => e instanceof StatusError && e.code === 504 && e.message === 'Timeout: applying the patch took too long');
    clearInterval(timer);
    assert.ok(performance.now() - began < 5000);
    assert.ok(turns >= 5, String(turns));
    assert.equal(await hostile.patch(merge('quick', {}), LARGE), 'done');
    await hostile.close();
  });

  it('turns documents into YAML and back on a thread', async () => {
    const yaml = await pools.jsonToYaml(Buffer.from('{"a":9007199254740993,"b":["x"]}'));
    assert.deepEqual(parseYaml(Buffer.from(yaml).toString()), { a: 9007199254740993n, b: ['x'] });
    assert.deepEqual(await pools.readYaml(yaml), { value: { a: 9007199254740993n, b: ['x'] } });
    assert.match((await pools.readYaml(Buffer.from('a: *nobody'))).error ?? '', /^yaml: line 1: /);
    assert.equal(pools.counts.codecPool, 3);
  });

  it('closes without having opened', () => new WorkerPools({ workerFile }).close());
});
