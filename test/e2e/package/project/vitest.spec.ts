import { expect, test } from 'vitest';
import { startControlPlane } from 'binnacle';
import { makeAvailable } from './make-available.js';

test('vitest', async () => {
  await using cluster = await startControlPlane();
  await makeAvailable(cluster, 'web');
  expect(cluster.url).toMatch(/^https:/);
}, 30_000);
