import assert from 'node:assert/strict';
import { groupVersionOf, resourceKey, resourceToken } from './resource.ts';

describe('Resource', () => {
  for (const [groupVersion, resource, key] of [
    ['v1', 'pods', 'pods'],
    ['apps/v1', 'deployments', 'deployments.apps'],
  ] as const) {
    it(`names ${resource} of ${groupVersion} as clients do`, () => {
      const token = resourceToken(groupVersion, resource, 'Kind', true);
      assert.deepEqual([groupVersionOf(token), resourceKey(token)], [groupVersion, key]);
    });
  }
});
