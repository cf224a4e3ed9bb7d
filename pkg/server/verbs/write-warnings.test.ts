import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

const APPS = '/apis/apps/v1/namespaces/default';
const TEMPLATE = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
};
const MERGE = { 'content-type': 'application/merge-patch+json' };
const OLD_LABEL = /beta\.kubernetes\.io\/os/;

describe('warnings of writes', function () {
  this.timeout(60_000);
  let api: TestServer;

  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  const deployment = async (name: string): Promise<any> => {
    const { status, body, warning } = await api.send('POST', `${APPS}/deployments`, {
      metadata: { name },
      spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE },
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(warning ?? '', OLD_LABEL);
    return body;
  };

  for (const [kind, path, spec] of [
    ['deployments', APPS, {}],
    ['replicasets', APPS, {}],
    ['daemonsets', APPS, {}],
    ['statefulsets', APPS, { serviceName: 's' }],
    ['replicationcontrollers', '/api/v1/namespaces/default', {}],
    ['jobs', '/apis/batch/v1/namespaces/default', {}],
  ] as const) {
    it(`are given for a template of ${kind} when it is new, not when something else changes`, async () => {
      const isJob = kind === 'jobs';
      const selector = kind === 'replicationcontrollers' ? { a: 'b' } : { matchLabels: { a: 'b' } };
      const template = isJob ? { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } : TEMPLATE;
      const created = await api.send('POST', `${path}/${kind}`, {
        metadata: { name: 'w' },
        spec: { ...spec, ...(isJob ? {} : { selector }), template },
      });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      assert.match(created.warning ?? '', OLD_LABEL);
      const at = `${path}/${kind}/w`;
      const object = { ...created.body, metadata: { ...created.body.metadata, labels: { x: 'y' } } };
      const put = await api.send('PUT', at, object);
      assert.deepEqual([put.status, put.warning], [200, undefined]);
      const same = await api.send('PUT', at, put.body);
      assert.deepEqual([same.status, same.warning], [200, undefined]);
      const patched = await api.send('PATCH', at, { metadata: { labels: { x: 'z' } } }, MERGE);
      assert.deepEqual([patched.status, patched.warning], [200, undefined]);
      const status = await api.send('PATCH', `${at}/status`, { status: {} }, MERGE);
      assert.deepEqual([status.status, status.warning], [200, undefined]);
      const putStatus = await api.send('PUT', `${at}/status`, status.body);
      assert.deepEqual([putStatus.status, putStatus.warning], [200, undefined]);
    });
  }

  it('are given again when the specification changes, by a patch, a PUT or the scale', async () => {
    const object = await deployment('again');
    const at = `${APPS}/deployments/again`;
    const patched = await api.send('PATCH', at, { spec: { minReadySeconds: 1 } }, MERGE);
    assert.match(patched.warning ?? '', OLD_LABEL);
    const spec = { ...object.spec, minReadySeconds: 2 };
    const put = await api.send('PUT', at, { ...patched.body, spec });
    assert.match(put.warning ?? '', OLD_LABEL);
    const scaled = await api.send('PATCH', `${at}/scale`, { spec: { replicas: 3 } }, MERGE);
    assert.deepEqual([scaled.status, OLD_LABEL.test(scaled.warning ?? '')], [200, true]);
    const unscaled = await api.send('PATCH', `${at}/scale`, { spec: { replicas: 3 } }, MERGE);
    assert.deepEqual([unscaled.status, unscaled.warning], [200, undefined]);
  });

  it('of pods are given to creates alone', async () => {
    const path = '/api/v1/namespaces/default/pods';
    const created = await api.send('POST', path, { metadata: { name: 'p' }, spec: TEMPLATE.spec });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.match(created.warning ?? '', OLD_LABEL);
    for (const at of [`${path}/p`, `${path}/p/status`]) {
      const patched = await api.send('PATCH', at, { metadata: { labels: { l: at.length.toString() } } }, MERGE);
      assert.deepEqual([patched.status, patched.warning], [200, undefined]);
    }
  });

  it('about the object are not repeated by writes of its status', async () => {
    const path = '/api/v1/nodes';
    const body = { metadata: { name: 'n' }, spec: { externalID: 'x' } };
    const created = await api.send('POST', path, body);
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.match(created.warning ?? '', /externalID/);
    const conditions = [{ type: 'Ready', status: 'True' }];
    const patched = await api.send('PATCH', `${path}/n/status`, { status: { conditions } }, MERGE);
    assert.deepEqual([patched.status, patched.warning], [200, undefined]);
  });

  it('are not given with the refusal of an invalid object', async () => {
    const invalid = await api.send('POST', `${APPS}/deployments`, {
      metadata: { name: 'invalid' },
      spec: { selector: { matchLabels: { a: 'other' } }, template: TEMPLATE },
    });
    assert.deepEqual([invalid.status, invalid.warning], [422, undefined]);
  });
});
