import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { initializersPlugin } from './plugin.ts';

describe('Initializers', () => {
  it('admits everything and changes nothing, since no configuration names an initializer', async () => {
    const object = { metadata: { name: 'p', namespace: 'n' }, spec: {} };
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
      assert.equal(await refusalOf(initializersPlugin(), requestFor('pods', object, { operation })), undefined);
    }
    assert.deepEqual(object, { metadata: { name: 'p', namespace: 'n' }, spec: {} });
  });
});
