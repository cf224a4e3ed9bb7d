import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedStore } from '../../storage/embedded/embedded-store.ts';
import { Bitmap } from './bitmap.ts';
import { clusterIpRange, nodePortRange } from './number-range.ts';
import { AllocationError } from './allocator.ts';
import { RangeAllocator } from './range-allocator.ts';
import { decodeRange, encodeRange } from './stored-range.ts';

const KEY = 'ranges/servicenodeports';

describe('RangeAllocator', () => {
  let dir: string;
  let store: EmbeddedStore;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-ranges-'));
    store = new EmbeddedStore({ dataDir: dir });
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const ports = (low = 30_000, high = 30_009) =>
    new RangeAllocator({ store, key: KEY, range: nodePortRange(low, high) });

  it('gives each item to one holder, over several servers', async () => {
    const servers = [ports(), ports(), ports()];
    const answers = await Promise.allSettled(Array.from({ length: 13 }, (_, i) => servers[i % 3]!.allocateNext()));
    const given = answers.flatMap((a) => (a.status === 'fulfilled' ? [a.value] : []));
    assert.equal(given.length, 10);
    assert.equal(new Set(given).size, 10);
    for (const answer of answers)
      if (answer.status === 'rejected') assert.equal((answer.reason as Error).message, 'range is full');
  });

  it('joins concurrent changes into few writes', async () => {
    const allocator = ports(30_000, 30_999);
    const before = await store.currentRevision();
    await Promise.all(Array.from({ length: 200 }, () => allocator.allocateNext()));
    assert.ok((await store.currentRevision()) - before <= 3);
    assert.equal((await allocator.snapshot()).bitmap.count, 200);
  });

  it('reserves the first items for requests by name, until the rest is taken', async () => {
    const allocator = ports(30_000, 30_019);
    const names = [30_000, 30_015];
    for (const port of names) await allocator.allocate(port);
    const given = await Promise.all(Array.from({ length: 18 }, () => allocator.allocateNext()));
    assert.deepEqual(
      given.slice(0, 4).sort((a, b) => a - b),
      [30_016, 30_017, 30_018, 30_019],
    );
    assert.deepEqual(new Set([...given, ...names]).size, 20);
    await assert.rejects(allocator.allocateNext(), { message: 'range is full' });
  });

  it('refuses what is taken or outside, in the words of Kubernetes', async () => {
    const allocator = ports();
    await allocator.allocate(30_004);
    await assert.rejects(
      allocator.allocate(30_004),
      (e: Error) => e instanceof AllocationError && e.message === 'provided port is already allocated',
    );
    await assert.rejects(allocator.allocate(99), {
      message: 'provided port is not in the valid range. The range of valid ports is 30000-30009',
    });
    await assert.rejects(allocator.checkFree(30_004), { message: 'provided port is already allocated' });
    await allocator.checkFree(30_005);
    const ips = new RangeAllocator({ store, key: 'ranges/serviceips', range: clusterIpRange('10.0.0.0/24') });
    await ips.allocate('10.0.0.77');
    await assert.rejects(ips.allocate('10.0.0.77'), { message: 'provided IP is already allocated' });
  });

  it('sees what another server released before it refuses', async () => {
    const [mine, other] = [ports(), ports()];
    await mine.allocate(30_001);
    await other.release([30_001, 99, 30_002]);
    await mine.allocate(30_001);
    await assert.rejects(other.allocate(30_001), AllocationError);
  });

  it('releases what another server took', async () => {
    const [mine, other] = [ports(), ports()];
    await other.allocate(30_009);
    await mine.allocate(30_001);
    await other.release([30_001]);
    assert.equal((await mine.snapshot()).bitmap.has(1), false);
  });

  it('checks without taking', async () => {
    const allocator = ports(30_000, 30_001);
    const free = await allocator.peekNext([30_001]);
    assert.equal(free, 30_000);
    await assert.rejects(allocator.peekNext([30_000, 30_001]), { message: 'range is full' });
    assert.equal(await store.get(KEY), undefined);
  });

  it('reads and writes the form of a stock server', async () => {
    const bitmap = new Bitmap(10);
    bitmap.add(3);
    await store.commit(KEY, {
      expectRevision: 0,
      value: Buffer.from(
        JSON.stringify({
          kind: 'RangeAllocation',
          apiVersion: 'v1',
          range: '30000-30009',
          data: Buffer.from(bitmap.toBytes()).toString('base64'),
        }),
      ),
    });
    const allocator = ports();
    await assert.rejects(allocator.allocate(30_003), AllocationError);
    await allocator.allocate(30_009);
    const stored = decodeRange((await store.get(KEY))!.value);
    assert.equal(stored.text, '30000-30009');
    assert.deepEqual([...stored.data], [0x02, 0x08]);
  });

  it('leaves the bitmap of another range alone until it is replaced', async () => {
    await store.commit(KEY, { expectRevision: 0, value: encodeRange('40000-40009', new Bitmap(10), undefined) });
    const allocator = ports();
    await assert.rejects(allocator.allocateNext(), /is of range 40000-40009, not of 30000-30009/);
    const snapshot = await allocator.snapshot();
    assert.equal(await allocator.replace(snapshot, new Bitmap(10)), true);
    assert.equal(await allocator.replace(snapshot, new Bitmap(10)), false);
    await allocator.allocate(30_000);
  });
});
