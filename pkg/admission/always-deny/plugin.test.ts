import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { alwaysDenyPlugin } from './plugin.ts';

describe('AlwaysDeny', () => {
  it('refuses any request', async () => {
    const object = { metadata: { name: 'p', namespace: 'n' } };
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
      assert.equal(
        await refusalOf(alwaysDenyPlugin(), requestFor('pods', object, { operation })),
        '403 pods "p" is forbidden: admission control is denying all modifications',
      );
    }
  });

  it('names an object without a name by its generateName', async () => {
    const words = (metadata: object) => refusalOf(alwaysDenyPlugin(), requestFor('deployments.apps', { metadata }));
    assert.match((await words({ generateName: 'web-' })) ?? '', /^403 deployments\.apps "web-" is forbidden/);
    assert.match((await words({})) ?? '', /^403 deployments\.apps "Unknown" is forbidden/);
  });
});
