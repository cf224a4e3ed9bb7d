import assert from 'node:assert/strict';
import { cronTab, cronTabs } from '../../../test/fixtures/cron-tabs.ts';
import { Scheme } from '../../api/scheme.ts';
import type { PackedBytes } from './packed-bytes.ts';
import { BulkEncoder } from './bulk-encoder.ts';
import { cached, resourceAt } from './cached-testing.ts';
import { encodeItems, type ItemBatch } from './encode-items.ts';
import { formFor } from './form-for.ts';

const maps = resourceAt('v1', 'configmaps');
const accepted = { media: 'json', pretty: false } as const;
const negotiated = { accepted, form: formFor(maps, accepted, null) };
const object = (i: number, bytes = 10) =>
  cached(maps, { metadata: { name: `m${i}` }, data: { a: 'x'.repeat(bytes) } }, i);

/** Threads that answer when the test says so. */
function fakePools(encodeThreadBytes: number) {
  const waiting: (() => void)[] = [];
  const asked: number[] = [];
  return {
    asked,
    waiting,
    thresholds: { patchThreadBytes: 0, yamlThreadBytes: 0, encodeThreadBytes },
    encodeItems: (batch: ItemBatch): Promise<PackedBytes> => {
      asked.push(batch.revisions.length);
      return new Promise((resolve, reject) =>
        waiting.push(() => (batch.revisions[0] === 666 ? reject(new Error('corrupt')) : resolve(encodeItems(batch)))),
      );
    },
    async answerAll(): Promise<void> {
      for (let rounds = 0; rounds < 20; rounds++) {
        for (const answer of waiting.splice(0)) answer();
        await new Promise(setImmediate);
      }
    },
  };
}

describe('BulkEncoder', () => {
  it('gives threads the kind of a resource whose schema is data, with every batch in the same memory', async () => {
    const definition = cronTabs();
    const tabs = new Scheme([definition]).hub(definition);
    const form = formFor(tabs, accepted, null);
    const batches: ItemBatch[] = [];
    const pools = {
      thresholds: { patchThreadBytes: 0, yamlThreadBytes: 0, encodeThreadBytes: 100 },
      encodeItems: (batch: ItemBatch): Promise<PackedBytes> => {
        batches.push(batch);
        return Promise.resolve(encodeItems(batch));
      },
    };
    const bulk = new BulkEncoder(pools);
    const schedule = 'x'.repeat(200_000);
    const objects = [1, 2, 3].map((i) => cached(tabs, cronTab(`t${i}`, { schedule, unknown: 1 }), i));
    const encoded = await bulk.encode(objects, tabs, { accepted, form });
    assert.deepEqual(
      [batches.length, new Set(batches.map(({ kind }) => kind?.text)).size, batches[0]!.kind!.id],
      [2, 1, batches[1]!.kind!.id],
    );
    for (const object of objects)
      assert.deepEqual(Buffer.from(encoded.get(object)!).toString(), Buffer.from(form.item.encode(object)).toString());
  });

  it('leaves a kind to the main loop whose versions have code', async () => {
    const pools = fakePools(0);
    const data = cronTabs();
    const definition = { ...data, versions: data.versions.map((v) => ({ ...v, setDefaults: () => undefined })) };
    const tabs = new Scheme([definition]).hub(definition);
    const object = cached(tabs, cronTab('t'), 1);
    assert.equal((await new BulkEncoder(pools).encode([object], tabs, negotiated)).size, 0);
    assert.deepEqual(pools.asked, []);
  });

  it('has cold objects encoded, and keeps the bytes with them', async () => {
    const pools = fakePools(100);
    const objects = [object(1), object(2), object(3)];
    objects[1]!.bytes(negotiated.form.item);
    const encoding = new BulkEncoder(pools).encode(objects, maps, negotiated);
    await pools.answerAll();
    const encoded = await encoding;
    assert.deepEqual([...encoded.keys()], [objects[0], objects[2]]);
    assert.deepEqual(pools.asked, [2]);
    for (const o of objects) {
      assert.ok(o.hasForm(negotiated.form.item.key));
      assert.deepEqual(
        Buffer.from(encoded.get(o) ?? o.bytes(negotiated.form.item)),
        Buffer.from(negotiated.form.item.encode(o)),
      );
    }
  });

  it('leaves alone what is small, warm, or made again each time', async () => {
    const pools = fakePools(100);
    const bulk = new BulkEncoder(pools);
    const warm = [object(1), object(2), object(3)];
    for (const o of warm) o.bytes(negotiated.form.item);
    const table = { ...accepted, transform: { as: 'Table', version: 'v1' } } as const;
    assert.equal((await bulk.encode([object(1)], maps, negotiated)).size, 0);
    assert.equal((await bulk.encode(warm, maps, negotiated)).size, 0);
    assert.equal(
      (await bulk.encode([object(1, 500)], maps, { accepted: table, form: formFor(maps, table, null) })).size,
      0,
    );
    assert.deepEqual(pools.asked, []);
  });

  it('has threads encode kinds that options have changed, by what is compiled in', async () => {
    const pools = fakePools(100);
    const changed = { ...maps, definition: { ...maps.definition, shortNames: [] } };
    const encoding = new BulkEncoder(pools).encode([object(1, 500)], changed, negotiated);
    await pools.answerAll();
    assert.equal((await encoding).size, 1);
  });

  it('cuts large lists into batches, few at a time', async () => {
    const pools = fakePools(0);
    const objects = Array.from({ length: 40 }, (_, i) => object(i + 1, 100_000));
    const encoding = new BulkEncoder(pools).encode(objects, maps, negotiated);
    await new Promise(setImmediate);
    assert.deepEqual(pools.asked, [3, 3, 3, 3]);
    await pools.answerAll();
    assert.equal((await encoding).size, 40);
    assert.equal(
      pools.asked.reduce((sum, n) => sum + n, 0),
      40,
    );
  });

  it('shares what two lists want at the same time', async () => {
    const pools = fakePools(0);
    const bulk = new BulkEncoder(pools);
    const objects = [object(1), object(2), object(3)];
    const lists = [bulk.encode(objects, maps, negotiated), bulk.encode([...objects, object(4)], maps, negotiated)];
    await pools.answerAll();
    assert.deepEqual(
      (await Promise.all(lists)).map((list) => list.size),
      [3, 4],
    );
    assert.deepEqual(pools.asked, [3, 1]);
  });

  it('fails when a thread does, and works for the next', async () => {
    const pools = fakePools(0);
    const bulk = new BulkEncoder(pools);
    const objects = [object(666), object(2)];
    const lists = [bulk.encode(objects, maps, negotiated), bulk.encode(objects, maps, negotiated)].map((list) =>
      assert.rejects(list, /corrupt/),
    );
    await pools.answerAll();
    await Promise.all(lists);
    const next = bulk.encode([objects[1]!], maps, negotiated);
    await pools.answerAll();
    assert.equal((await next).size, 1);
  });
});
