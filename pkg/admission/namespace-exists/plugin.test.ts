import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { namespaceExistsPlugin } from './plugin.ts';

describe('NamespaceExists', () => {
  const plugin = namespaceExistsPlugin(lookupOf({ namespaces: [{ metadata: { name: 'there' } }] }));
  const inside = (namespace: string) => ({ metadata: { name: 'x', namespace } });

  it('lets writes pass where the namespace exists', async () => {
    assert.equal(await refusalOf(plugin, requestFor('configmaps', inside('there'))), undefined);
  });

  it('refuses creates, updates and deletes elsewhere', async () => {
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) {
      assert.equal(
        await refusalOf(plugin, requestFor('configmaps', inside('gone'), { operation })),
        '404 namespaces "gone" not found',
      );
    }
  });

  it('leaves cluster-wide objects and namespaces themselves alone', async () => {
    assert.equal(await refusalOf(plugin, requestFor('nodes', { metadata: { name: 'x' } })), undefined);
    assert.equal(
      await refusalOf(plugin, requestFor('namespaces', { metadata: { name: 'new' } }, { namespace: 'new' })),
      undefined,
    );
  });
});
