import assert from 'node:assert/strict';
import { alreadyExists, badRequest, forbidden } from '../../apimachinery/errors/status-error.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { namespaceAutoProvisionPlugin } from './plugin.ts';

describe('NamespaceAutoProvision', () => {
  let made: string[];
  let failure: Error | undefined;
  const plugin = namespaceAutoProvisionPlugin(
    lookupOf({ namespaces: [{ metadata: { name: 'there' } }] }),
    async (name) => {
      if (failure !== undefined) throw failure;
      made.push(name);
    },
  );
  beforeEach(() => {
    made = [];
    failure = undefined;
  });
  const refused = (namespace: string, overrides = {}) =>
    refusalOf(plugin, requestFor('configmaps', { metadata: { name: 'x', namespace } }, overrides));

  it('creates the missing namespace of a new object', async () => {
    assert.equal(await refused('new'), undefined);
    assert.equal(await refused('there'), undefined);
    assert.deepEqual(made, ['new']);
  });

  it('accepts that another request was faster', async () => {
    failure = alreadyExists({ group: '', resource: 'namespaces' }, 'new');
    assert.equal(await refused('new'), undefined);
  });

  it('refuses the object when its namespace cannot be created', async () => {
    failure = badRequest('no name');
    assert.equal(await refused('new'), '403 configmaps "x" is forbidden: no name');
    failure = forbidden({ group: '', resource: 'namespaces' }, 'new', 'not that one');
    assert.equal(await refused('new'), '403 namespaces "new" is forbidden: not that one');
  });

  it('passes other failures on', async () => {
    failure = new Error('no store');
    await assert.rejects(refused('new'), failure);
  });

  it('creates nothing for updates, dry runs and cluster-wide objects', async () => {
    assert.equal(await refused('new', { operation: 'UPDATE' }), undefined);
    assert.equal(await refused('new', { dryRun: true }), undefined);
    assert.equal(await refused(''), undefined);
    assert.equal(
      await refusalOf(plugin, requestFor('namespaces', { metadata: { name: 'new' } }, { namespace: 'new' })),
      undefined,
    );
    assert.deepEqual(made, []);
  });
});
