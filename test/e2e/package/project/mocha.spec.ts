import assert from 'node:assert/strict';
import { startControlPlane, type ControlPlane } from 'binnacle';
import { makeAvailable } from './make-available.js';

describe('mocha', function () {
  this.timeout(30_000);
  let cluster: ControlPlane;
  before(async () => (cluster = await startControlPlane({ nodes: 2, controllers: ['*', '-job'] })));
  after(() => cluster?.stop());

  it('makes a deployment available', async () => {
    await makeAvailable(cluster, 'web');
    assert.match(cluster.url, /^https:/);
  });
});
