import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startControlPlane, type ControlPlane } from 'binnacle';
import { makeAvailable } from './make-available.js';

let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
}, 30_000);
afterAll(() => cluster?.stop());

test('jest with ES modules', async () => {
  await makeAvailable(cluster, 'web');
  expect(cluster.url).toMatch(/^https:/);
}, 30_000);
