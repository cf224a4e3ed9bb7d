import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const owner = (uid: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...more,
});
const warned = (uids: string, found = 'duplicate entries'): string =>
  `299 - ".metadata.ownerReferences contains ${found}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}"`;

describe('owner references that stand twice', function () {
  this.timeout(60_000);
  let api: TestServer;

  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  const create = (name: string, ownerReferences: readonly object[]) =>
    api.send('POST', CONFIG_MAPS, { metadata: { name, ownerReferences } });

  it('are stored once by a create, with a warning that names each', async () => {
    const { status, body, warning } = await create('c', [owner('a'), owner('b'), owner('a'), owner('b'), owner('a')]);
    assert.deepEqual([status, body.metadata.ownerReferences], [201, [owner('a'), owner('b')]]);
    assert.equal(warning, warned('a, b, a'));
  });

  it('stay where they differ in a field', async () => {
    const owners = [owner('a'), owner('a', { controller: true }), owner('a', { controller: false })];
    const { status, body, warning } = await create('d', owners);
    assert.deepEqual([status, warning, body.metadata.ownerReferences], [201, undefined, owners]);
  });

  it('are stored once by an update and by a patch', async () => {
    const { body } = await create('u', []);
    const twice = [owner('a'), owner('a')];
    const put = await api.send('PUT', `${CONFIG_MAPS}/u`, {
      ...body,
      metadata: { ...body.metadata, ownerReferences: twice },
    });
    assert.deepEqual([put.status, put.body.metadata.ownerReferences], [200, [owner('a')]]);
    assert.equal(put.warning, warned('a'));
    const same = await api.send('PUT', `${CONFIG_MAPS}/u`, put.body);
    assert.deepEqual([same.status, same.warning], [200, undefined]);
    const other = { metadata: { ownerReferences: [owner('b'), owner('b')] } };
    const patched = await api.send('PATCH', `${CONFIG_MAPS}/u`, other, MERGE);
    assert.deepEqual([patched.status, patched.body.metadata.ownerReferences], [200, [owner('b')]]);
    assert.equal(patched.warning, warned('b', 'duplicate entries after mutating admission happens'));
  });

  it('change nothing of an object that has them once', async () => {
    const { body } = await create('n', [owner('a')]);
    const patch = { metadata: { ownerReferences: [owner('a'), owner('a')] } };
    const patched = await api.send('PATCH', `${CONFIG_MAPS}/n`, patch, MERGE);
    assert.equal(patched.body.metadata.resourceVersion, body.metadata.resourceVersion);
  });

  it('are found in time that grows with their number alone', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => owner('a', { name: `o${i}` }));
    const { status, body, warning } = await create('m', [...many, many[7]!]);
    assert.deepEqual([status, body.metadata.ownerReferences.length], [201, many.length]);
    assert.equal(warning, warned('a'));
  });
});
