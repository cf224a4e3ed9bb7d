import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { TransientMap } from './transient-map.ts';

const run = promisify(execFile);

describe('TransientMap', () => {
  it('holds what was set last, for any key', () => {
    const map = new TransientMap<number>();
    for (const key of ['a', '__proto__', 'constructor', '7', '']) {
      assert.equal(map.get(key), undefined, key);
      map.set(key, 1);
      map.set(key, 2);
      assert.equal(map.get(key), 2, key);
    }
    assert.equal(map.size, 5);
    assert.deepEqual(map.keys().toSorted(), ['', '7', '__proto__', 'a', 'constructor']);
  });

  it('forgets what is deleted', () => {
    const map = new TransientMap<number>();
    map.set('a', 0);
    map.delete('a');
    map.delete('a');
    map.delete('b');
    assert.deepEqual([map.size, map.get('a'), map.keys()], [0, undefined, []]);
    map.set('a', 1);
    map.clear();
    assert.deepEqual([map.size, map.get('a')], [0, undefined]);
  });
});

describe('TransientMap of entries that come and go', () => {
  const churn = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { TransientMap } from ${JSON.stringify(path.join(import.meta.dirname, 'transient-map.ts'))};
    const map = process.env.KIND === 'map' ? new Map() : new TransientMap();
    let full = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++;
    });
    map.set('old', {});
    gc();
    gc();
    map.delete('old');
    observer.observe({ entryTypes: ['gc'] });
    for (let i = 0; i < 3e6; i++) {
      map.set('k' + (i & 15), { i });
      map.delete('k' + (i & 15));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log(full);
  `;
  async function fullCollections(kind: string): Promise<number> {
    const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', churn];
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, KIND: kind } });
    return Number(stdout);
  }

  it('leaves nothing behind for full collections, as a Map does', async function () {
    this.timeout(60_000);
    const [own, map] = [await fullCollections('transient'), await fullCollections('map')];
    assert.ok(own <= 2 && map >= 5, `${own} full collections, ${map} of a Map`);
  });
});
