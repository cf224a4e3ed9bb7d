import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('scale', () => {
  let api: TestServer;
  const path = '/apis/apps/v1/namespaces/default/deployments/web';
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  before(async () => {
    api = await startTestServer();
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
    assert.equal(
      (
        await api.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
          metadata: { name: 'web', labels: { not: 'shown' } },
          spec,
        })
      ).status,
      201,
    );
    const rc = { metadata: { name: 'old' }, spec: { replicas: 1, selector: { app: 'web' }, template } };
    assert.equal((await api.send('POST', '/api/v1/namespaces/default/replicationcontrollers', rc)).status, 201);
  });
  after(() => api.stop());
  const replicas = async () => (await api.send('GET', path)).body.spec.replicas;

  it('shows the counts of an object, in the version that fits its path', async () => {
    const { status, body } = await api.send('GET', `${path}/scale`);
    assert.equal(status, 200);
    assert.equal(body.apiVersion, 'autoscaling/v1');
    assert.deepEqual(Object.keys(body.metadata).sort(), [
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
    assert.deepEqual([body.spec, body.status], [{ replicas: 3 }, { replicas: 0, selector: 'app=web' }]);
    for (const version of ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2']) {
      const old = await api.send('GET', `/apis/${version}/namespaces/default/deployments/web/scale`);
      assert.equal(old.body.apiVersion, version);
      assert.deepEqual(old.body.status, { replicas: 0, selector: { app: 'web' }, targetSelector: 'app=web' });
    }
    const rc = await api.send('GET', '/api/v1/namespaces/default/replicationcontrollers/old/scale');
    assert.deepEqual([rc.body.apiVersion, rc.body.spec.replicas], ['autoscaling/v1', 1]);
    const alone = '/apis/extensions/v1beta1/namespaces/default/replicationcontrollers/old';
    const scaled = await api.send('PUT', `${alone}/scale`, { metadata: { name: 'old' }, spec: { replicas: 2 } });
    assert.deepEqual(
      [scaled.status, scaled.body.apiVersion, scaled.body.spec, scaled.body.status.selector],
      [200, 'extensions/v1beta1', { replicas: 2 }, { app: 'web' }],
    );
    assert.equal(
      (await api.send('GET', '/api/v1/namespaces/default/replicationcontrollers/old')).body.spec.replicas,
      2,
    );
    assert.equal((await api.send('GET', alone)).status, 404, 'there is no such path');
  });

  it('has a table', async () => {
    const { body } = await api.send('GET', `${path}/scale`, undefined, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    assert.deepEqual(
      body.columnDefinitions.map((c: { name: string }) => c.name),
      ['Name', 'Desired', 'Available', 'Age'],
    );
    assert.deepEqual(body.rows[0].cells.slice(0, 3), ['web', 3, 0]);
  });

  it('is set by an update', async () => {
    const before = (await api.send('GET', path)).body;
    const { status, body } = await api.send('PUT', `${path}/scale`, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'web' },
      spec: { replicas: 7 },
    });
    assert.deepEqual([status, body.kind, body.spec], [200, 'Scale', { replicas: 7 }]);
    const after = (await api.send('GET', path)).body;
    assert.deepEqual(
      [after.spec.replicas, after.metadata.generation, after.metadata.labels],
      [7, before.metadata.generation + 1, { not: 'shown' }],
    );
  });

  it('is set by every kind of patch', async () => {
    const patch = (type: string, body: unknown) =>
      api.send('PATCH', `${path}/scale`, body, { 'content-type': `application/${type}+json` });
    assert.equal((await patch('merge-patch', { spec: { replicas: 2 } })).body.spec.replicas, 2);
    assert.equal((await patch('strategic-merge-patch', { spec: { replicas: 4 } })).body.spec.replicas, 4);
    assert.equal(
      (await patch('json-patch', [{ op: 'replace', path: '/spec/replicas', value: 5 }])).body.spec.replicas,
      5,
    );
    assert.equal(await replicas(), 5);
    const unknown = await api.send(
      'PATCH',
      `${path}/scale?fieldValidation=Strict`,
      { spec: { bogus: 1 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.equal(unknown.status, 422);
  });

  it('conflicts by the version of the object', async () => {
    const scale = (await api.send('GET', `${path}/scale`)).body;
    assert.equal((await api.send('PUT', `${path}/scale`, { ...scale, spec: { replicas: 6 } })).status, 200);
    const late = await api.send('PUT', `${path}/scale`, { ...scale, spec: { replicas: 1 } });
    assert.deepEqual(
      [late.status, late.body.reason, late.body.details],
      [409, 'Conflict', { name: 'web', group: 'apps', kind: 'deployments' }],
    );
    const other = { ...scale, metadata: { name: 'web', uid: 'other' } };
    assert.match(
      (await api.send('PUT', `${path}/scale`, other)).body.message,
      /Precondition failed: UID in precondition: other/,
    );
    assert.equal(await replicas(), 6);
  });

  it('refuses what cannot be', async () => {
    const negative = await api.send(
      'PATCH',
      `${path}/scale`,
      { spec: { replicas: -2 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.equal(negative.status, 422);
    assert.equal(
      negative.body.message,
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -2: must be greater than or equal to 0',
    );
    const absent = await api.send('GET', '/apis/apps/v1/namespaces/default/deployments/none/scale');
    assert.deepEqual([absent.status, absent.body.message], [404, 'deployments/scale.apps "none" not found']);
    const wrongVersion = await api.send('PUT', `${path}/scale`, {
      apiVersion: 'apps/v1beta1',
      kind: 'Scale',
      metadata: { name: 'web' },
      spec: {},
    });
    assert.equal(wrongVersion.status, 400);
    const wrongName = await api.send('PUT', `${path}/scale`, { metadata: { name: 'other' }, spec: {} });
    assert.equal(wrongName.status, 400);
  });

  it('is left alone by a dry run', async () => {
    const before = await replicas();
    const { body } = await api.send('PUT', `${path}/scale?dryRun=All`, {
      metadata: { name: 'web' },
      spec: { replicas: 99 },
    });
    assert.equal(body.spec.replicas, 99);
    assert.equal(await replicas(), before);
  });
});
