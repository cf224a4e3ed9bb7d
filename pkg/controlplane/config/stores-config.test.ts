import assert from 'node:assert/strict';
import { overriddenResource } from './stores-config.ts';

describe('overriddenResource', () => {
  const cases: readonly (readonly [item: string, resource: string | undefined, servers?: readonly string[]])[] = [
    ['/events#http://a:1', 'events', ['http://a:1']],
    ['apps/deployments#https://a:1;https://b:2', 'deployments.apps', ['https://a:1', 'https://b:2']],
    ['extensions/ingresses#http://a:1', 'ingresses.networking.k8s.io', ['http://a:1']],
    ['/deployments#http://a:1', undefined],
    ['/things#http://a:1', undefined],
    ['authorization.k8s.io/subjectaccessreviews#http://a:1', undefined],
    ['events#http://a:1', undefined],
  ];
  for (const [item, resource, servers] of cases) {
    it(`reads ${item}`, () =>
      assert.deepEqual(overriddenResource(item), resource === undefined ? undefined : { resource, servers }));
  }
});
