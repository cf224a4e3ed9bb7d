import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startControlPlane, type ControlPlane } from 'binnacle';
import { makeAvailable } from './make-available.js';

let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
}, 30_000);
afterAll(() => cluster?.stop());

test('jest with CommonJS', async () => {
  await makeAvailable(cluster, 'web');
  expect(cluster.url).toMatch(/^https:/);
}, 30_000);

test('fake timers of jest do not stop it', async () => {
  jest.useFakeTimers();
  await makeAvailable(cluster, 'timed', () => Promise.resolve());
  jest.useRealTimers();
}, 30_000);
