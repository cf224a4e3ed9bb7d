import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { alwaysAdmitPlugin } from './plugin.ts';

describe('AlwaysAdmit', () => {
  it('admits any request and changes nothing', async () => {
    const object = { metadata: { name: 'p', namespace: 'n' }, spec: {} };
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
      assert.equal(await refusalOf(alwaysAdmitPlugin(), requestFor('pods', object, { operation })), undefined);
    }
    assert.deepEqual(object, { metadata: { name: 'p', namespace: 'n' }, spec: {} });
  });
});
