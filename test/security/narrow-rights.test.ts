/**
 * Rights to one object by its name, or to one subresource, are rights to nothing else, whatever the request calls
 * itself.
 */
import assert from 'node:assert/strict';
import type { RawAnswer } from './raw-connection.ts';
import { answerTo, head } from './raw-connection.ts';
import { LOW_TOKEN, showsMark, startWithLowUser, type LowUserSetting } from './low-user.ts';

const group = 'rbac.authorization.k8s.io';
const mine = '/api/v1/namespaces/mine';
const merge = 'application/merge-patch+json';

describe('narrow rights', () => {
  let setting: LowUserSetting;

  before(async () => {
    setting = await startWithLowUser();
    const { client } = setting.server;
    const rules = [
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'delete', 'patch', 'update', 'deletecollection'],
        resourceNames: ['own'],
      },
      { apiGroups: [''], resources: ['pods/status', 'pods/ephemeralcontainers'], verbs: ['get', 'update', 'patch'] },
      { apiGroups: ['apps'], resources: ['deployments/status', 'deployments/scale'], verbs: ['*'] },
    ];
    await client.post(`/apis/${group}/v1/namespaces/mine/roles`, { metadata: { name: 'narrow' }, rules });
    await client.post(`/apis/${group}/v1/namespaces/mine/rolebindings`, {
      metadata: { name: 'narrow' },
      subjects: [{ kind: 'User', name: 'low', apiGroup: group }],
      roleRef: { kind: 'Role', name: 'narrow', apiGroup: group },
    });
    await client.post(`${mine}/secrets`, { metadata: { name: 'own' } });
    const spec = { containers: [{ name: 'a', image: 'b' }] };
    assert.equal((await client.post(`${mine}/pods`, { metadata: { name: 'p' }, spec })).status, 201);
    assert.equal(
      (
        await client.post('/apis/apps/v1/namespaces/mine/deployments', {
          metadata: { name: 'd' },
          spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
        })
      ).status,
      201,
    );
    await setting.server.running.server.storeOf(`rolebindings.${group}`).cacher.fresh();
  });
  after(async () => {
    await setting.stop();
    assert.deepEqual(setting.server.errors, []);
  });

  function send(method: string, target: string, body = '', contentType = 'application/json'): Promise<RawAnswer> {
    const about: Record<string, string> =
      body === '' ? {} : { 'content-type': contentType, 'content-length': String(body.length) };
    return answerTo(setting.low.url, head(method, target, LOW_TOKEN, about) + body);
  }
  async function expectForbidden(method: string, target: string, body?: string, contentType?: string): Promise<void> {
    const answer = await send(method, target, body, contentType);
    assert.equal(answer.status, 403, `${method} ${target}: ${answer.status} ${answer.body.toString().slice(0, 200)}`);
    assert.ok(!showsMark(answer.body), target);
  }

  it('to an object by its name are none to its collection, which a selector does not narrow', async () => {
    for (const query of [
      '',
      '?fieldSelector=metadata.name%3Down',
      '?fieldSelector=metadata.name%3D%3Down',
      '?name=own',
      '?fieldSelector=metadata.name%3Down&dryRun=All',
      '?labelSelector=metadata.name%3Down',
    ]) {
      for (const method of ['GET', 'DELETE']) await expectForbidden(method, `${mine}/secrets${query}`);
      await expectForbidden('DELETE', `/api/v1/secrets${query}`);
    }
    await expectForbidden(
      'DELETE',
      `${mine}/secrets`,
      '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"x"}}',
    );
    assert.equal((await setting.server.client.get(`${mine}/secrets/hidden`)).status, 200);
  });

  it('to an object by its name are none to another, whatever query and body say', async () => {
    for (const query of [
      '',
      '?watch=true',
      '?name=own',
      '?fieldSelector=metadata.name%3Down',
      '?resourceVersion=0',
      '#own',
      '%23own',
      '%00own',
      '?dryRun=All',
    ]) {
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await send(method, `${mine}/secrets/hidden${query}`);
        assert.ok([400, 403].includes(status) && !showsMark(body), `${method} ${query}: ${status}`);
      }
    }
    await expectForbidden('PUT', `${mine}/secrets/hidden`, '{"metadata":{"name":"own"}}');
    for (const [method, body, contentType] of [
      ['PUT', '{"metadata":{"name":"hidden"}}', undefined],
      ['PUT', '{"metadata":{"name":"own","namespace":"other"}}', undefined],
      ['PATCH', '{"metadata":{"name":"hidden"}}', merge],
      ['PATCH', '{"metadata":{"namespace":"other"}}', merge],
      ['PATCH', '[{"op":"replace","path":"/metadata/name","value":"hidden"}]', 'application/json-patch+json'],
    ] as const) {
      const { status, body: answered } = await send(method, `${mine}/secrets/own`, body, contentType);
      assert.ok(status === 400 && !showsMark(answered), `${method} ${body}: ${status}`);
    }
    // What one may see is shown, and no watch of it.
    const own = await send('GET', `${mine}/secrets/own?watch=true`);
    assert.deepEqual([own.status, own.json.kind], [200, 'Secret']);
  });

  it('to a subresource are none to the object, nor to others', async () => {
    for (const target of [
      'pods/p',
      'pods/p/',
      'pods/p/Status',
      'pods/p/STATUS',
      'pods/p/exec',
      'pods/p/exec?command=status',
      'pods/p/log',
      'pods/p/proxy/status',
      'pods/p/status%2F',
      'pods/p/%2e/status',
      'pods/status',
      'Pods/p/status',
      'pods/p/binding',
    ])
      await expectForbidden('GET', `${mine}/${target}`);
    for (const behind of ['exec', 'log', 'status', 'x'])
      assert.equal((await send('GET', `${mine}/pods/p/status/${behind}`)).status, 404, behind);
    assert.equal((await send('GET', `${mine}/pods/p/status`)).status, 200);
  });

  it('to a status change nothing of what it is the status of', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    const pod = await send(
      'PATCH',
      `${mine}/pods/p/status`,
      JSON.stringify({
        metadata: { ownerReferences: [owner], deletionTimestamp: '2026-01-01T00:00:00Z' },
        spec: {
          nodeName: 'evil',
          serviceAccountName: 'admin',
          hostNetwork: true,
          containers: [{ name: 'a', image: 'evil' }],
        },
      }),
      'application/strategic-merge-patch+json',
    );
    assert.equal(pod.status, 200, pod.body.toString());
    const { metadata, spec } = pod.json;
    assert.deepEqual(
      [metadata.ownerReferences, metadata.deletionTimestamp, spec.nodeName, spec.hostNetwork, spec.containers[0].image],
      [undefined, undefined, undefined, undefined, 'b'],
    );
    const deployment = '/apis/apps/v1/namespaces/mine/deployments/d';
    const status = await send(
      'PATCH',
      `${deployment}/status`,
      JSON.stringify({
        metadata: { labels: { x: 'y' } },
        spec: { replicas: 9, template: { spec: { hostNetwork: true } } },
      }),
      merge,
    );
    assert.deepEqual(
      [
        status.status,
        status.json.metadata.labels,
        status.json.spec.replicas,
        status.json.spec.template.spec.hostNetwork,
      ],
      [200, undefined, 1, undefined],
    );
    const scaled = await send(
      'PATCH',
      `${deployment}/scale`,
      JSON.stringify({
        metadata: { labels: { x: 'y' } },
        spec: { replicas: 2, template: { spec: { hostNetwork: true } } },
      }),
      merge,
    );
    assert.deepEqual([scaled.status, scaled.json.kind], [200, 'Scale']);
    const { json: after } = await setting.server.client.get(deployment);
    assert.deepEqual(
      [after.metadata.labels, after.spec.replicas, after.spec.template.spec.hostNetwork],
      [undefined, 2, undefined],
    );
  });
});
