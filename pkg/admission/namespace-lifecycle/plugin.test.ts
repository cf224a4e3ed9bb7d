import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { namespaceLifecyclePlugin } from './plugin.ts';

describe('NamespaceLifecycle', () => {
  const plugin = namespaceLifecyclePlugin(
    lookupOf({
      namespaces: [
        { metadata: { name: 'live' }, status: { phase: 'Active' } },
        { metadata: { name: 'going' }, status: { phase: 'Terminating' } },
      ],
    }),
  );
  const inside = (namespace: string) => ({ metadata: { name: 'x', namespace } });

  it('admits objects in active namespaces, and cluster-wide ones anywhere', async () => {
    assert.equal(await refusalOf(plugin, requestFor('configmaps', inside('live'))), undefined);
    assert.equal(await refusalOf(plugin, requestFor('nodes', { metadata: { name: 'n' } })), undefined);
  });

  it('refuses objects in unknown namespaces', async () => {
    assert.equal(await refusalOf(plugin, requestFor('configmaps', inside('none'))), '404 namespaces "none" not found');
    assert.equal(
      await refusalOf(plugin, requestFor('configmaps', inside('none'), { operation: 'UPDATE' })),
      '404 namespaces "none" not found',
    );
    assert.equal(
      await refusalOf(plugin, requestFor('configmaps', undefined, { operation: 'DELETE', namespace: 'none' })),
      undefined,
    );
  });

  it('refuses new objects in a namespace that is being terminated', async () => {
    await assert.rejects(
      async () => plugin.admit!(requestFor('configmaps', inside('going'))),
      (error) => {
        assert.ok(error instanceof StatusError);
        assert.equal(error.code, 403);
        assert.equal(
          error.message,
          'configmaps "x" is forbidden: unable to create new content in namespace going because it is being terminated',
        );
        assert.deepEqual(error.status.details, {
          name: 'x',
          kind: 'configmaps',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace going is being terminated',
              field: 'metadata.namespace',
            },
          ],
        });
        return true;
      },
    );
    assert.equal(
      await refusalOf(plugin, requestFor('configmaps', inside('going'), { operation: 'UPDATE' })),
      undefined,
    );
  });

  it('protects the namespaces that every cluster needs', async () => {
    const deletion = (name: string) =>
      refusalOf(plugin, requestFor('namespaces', undefined, { operation: 'DELETE', name }));
    assert.equal(await deletion('default'), '403 namespaces "default" is forbidden: this namespace may not be deleted');
    assert.equal(
      await deletion('kube-system'),
      '403 namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
    assert.equal(await deletion('kube-node-lease'), undefined);
    assert.equal(await refusalOf(plugin, requestFor('namespaces', { metadata: { name: 'new' } })), undefined);
  });
});
