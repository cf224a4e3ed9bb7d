/** Many clusters in one process, as the files of a test run may have them, and what is left of them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { configMaps } from '../../../pkg/api/core/tokens.ts';
import { startControlPlane } from '../../../pkg/library/index.ts';
import { until } from '../../fixtures/until.ts';
import { clientOf, ownTemporaryDirectory } from './library-clusters.ts';

const CLUSTERS = 20;
/** 4 MB each when this was written. */
const HEAP_BYTES_MAX = 12 * 1024 * 1024;
/** What code that gets warm takes, all clusters together: 8 MB when this was written. */
const LEFT_BYTES_MAX = 20 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe('clusters side by side', function () {
  this.timeout(120_000);
  const temporary = ownTemporaryDirectory();
  const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Pipe/.test(kind)).length;
  const open = (): number => readdirSync('/proc/self/fd').length;

  it(`are ${CLUSTERS} that do not see each other, and nothing of them is left`, async () => {
    // The first loads what all have in common.
    await (await startControlPlane()).stop();
    const before = { heap: heapBytes(), sockets: sockets(), open: open() };
    const planes = await Promise.all(Array.from({ length: CLUSTERS }, () => startControlPlane()));
    try {
      assert.equal(new Set(planes.map(({ url }) => url)).size, CLUSTERS);
      assert.equal(new Set(planes.map(({ token }) => token)).size, CLUSTERS);
      const heap = (heapBytes() - before.heap) / CLUSTERS;
      assert.ok(heap < HEAP_BYTES_MAX, `${heap} bytes of heap for each`);
      await Promise.all(
        planes.map(async (plane, i) => {
          const client = clientOf(plane, { token: plane.token });
          const name = `of-${i}`;
          await client.create(configMaps, { metadata: { name, namespace: 'default' } });
          const { items } = await client.list(configMaps, { namespace: 'default' });
          assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['kube-root-ca.crt', name]);
          client.close();
        }),
      );
      const intruder = clientOf(planes[0]!, { token: planes[1]!.token });
      await assert.rejects(intruder.list(configMaps), { code: 401 });
      intruder.close();
    } finally {
      await Promise.all(planes.map((plane) => plane.stop()));
    }
    assert.deepEqual(readdirSync(temporary()), []);
    await until(() => sockets() <= before.sockets, 'the end of all sockets');
    await until(() => open() <= before.open, 'the end of all files');
    const heap = heapBytes() - before.heap;
    assert.ok(heap < LEFT_BYTES_MAX, `${heap} bytes of heap are left`);
  });
});
