/** Roles, bindings and nodes on a whole server: what they allow changes as they do, on every server of the cluster. */
import assert from 'node:assert/strict';
import { ApiClient, type Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { onEachStore } from './on-each-store.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;

onEachStore('authorization', ['--authorization-mode=Node,RBAC'], (suite) => {
  const as = (user: string, method: string, url: string, body?: unknown, inGroup?: string): Promise<Answer> =>
    suite.client.send(method, url, {
      headers: { 'impersonate-user': user, ...(inGroup === undefined ? {} : { 'impersonate-group': inGroup }) },
      body,
    });
  /** Versions of the roles that nothing is aggregated into. */
  const versions = async (): Promise<string[]> => {
    const { items } = (await suite.client.get(`${rbac}/clusterroles`)).json as {
      items: { metadata: { name: string; resourceVersion: string } }[];
    };
    return items
      .filter(({ metadata }) => metadata.name.startsWith('system:'))
      .map(({ metadata }) => metadata.resourceVersion);
  };
  const created = async (answer: Promise<Answer>): Promise<Answer> => {
    assert.equal((await answer).status, 201, (await answer).body.toString());
    return answer;
  };
  /** Waits until the servers have seen it: decisions follow the feed. */
  const until = async (status: number, ask: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask();
      if (answer.status === status) return answer;
      assert.ok(attempt < 500, `${answer.status}: ${answer.body.toString()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const binding = (name: string, kind: string, role: string, user: string): object => ({
    metadata: { name },
    roleRef: { kind, name: role, apiGroup: group },
    subjects: [{ kind: 'User', name: user, apiGroup: group }],
  });

  it('follows roles and bindings as they come, change and go', async () => {
    const ns = await suite.namespace();
    const [maps, roles] = [`/api/v1/namespaces/${ns}/configmaps`, `${rbac}/namespaces/${ns}/roles`];
    const list = (): Promise<Answer> => as('alice', 'GET', maps);
    assert.equal((await list()).status, 403);
    await created(suite.client.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('b', 'Role', 'reader', 'alice')));
    await until(403, async () => {
      const answer = await list();
      return answer.json.message.endsWith(': RBAC: role.rbac.authorization.k8s.io "reader" not found')
        ? answer
        : { ...answer, status: 0 };
    });
    await created(
      suite.client.post(roles, {
        metadata: { name: 'reader' },
        rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
      }),
    );
    await until(200, list);
    await suite.client.patch(`${roles}/reader`, 'merge', {
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }],
    });
    await until(403, list);
    await until(404, () => as('alice', 'GET', `${maps}/none`));
    await suite.client.delete(`${rbac}/namespaces/${ns}/rolebindings/b`);
    await until(403, () => as('alice', 'GET', `${maps}/none`));
  });

  it('fills the roles that people are given, with what custom roles add', async () => {
    const ns = await suite.namespace();
    await created(
      suite.client.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('v', 'ClusterRole', 'view', 'viewer')),
    );
    await until(200, () => as('viewer', 'GET', `/api/v1/namespaces/${ns}/pods`));
    assert.equal((await as('viewer', 'GET', `/api/v1/namespaces/${ns}/secrets`)).status, 403);
    assert.equal((await as('viewer', 'POST', `/api/v1/namespaces/${ns}/configmaps`, {})).status, 403);
    const part = {
      metadata: { name: `leases-${ns}`, labels: { [`${group}/aggregate-to-view`]: 'true' } },
      rules: [{ verbs: ['list'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }],
    };
    await created(suite.client.post(`${rbac}/clusterroles`, part));
    await until(200, () => as('viewer', 'GET', `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`));
    await suite.client.delete(`${rbac}/clusterroles/leases-${ns}`);
    await until(403, () => as('viewer', 'GET', `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`));
  });

  it('lets a node read what its pods refer to, for as long as they do', async () => {
    const ns = await suite.namespace();
    const secret = `/api/v1/namespaces/${ns}/secrets/s`;
    const asNode = (name: string, method: string, url: string, body?: unknown): Promise<Answer> =>
      as(`system:node:${name}`, method, url, body, 'system:nodes');
    await created(suite.client.post(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' } }));
    await suite.client.post(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'default' } });
    const refused = await asNode('n1', 'GET', secret);
    assert.deepEqual(
      [refused.status, refused.json.message],
      [
        403,
        `secrets "s" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "${ns}": no relationship found between node 'n1' and this object`,
      ],
    );
    assert.equal((await asNode('n1', 'GET', '/api/v1/pods')).status, 200);
    assert.equal((await asNode('n1', 'GET', '/api/v1/secrets')).status, 403);
    const pod = {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', secret: { secretName: 's' } }],
      },
    };
    await created(suite.client.post(`/api/v1/namespaces/${ns}/pods`, pod));
    await until(200, () => asNode('n1', 'GET', secret));
    assert.equal((await asNode('n2', 'GET', secret)).status, 403);
    assert.equal(
      (await asNode('n1', 'GET', `/api/v1/namespaces/${ns}/secrets?fieldSelector=metadata.name%3Ds`)).status,
      200,
    );
    await suite.client.send('DELETE', `/api/v1/namespaces/${ns}/pods/p?gracePeriodSeconds=0`);
    await until(403, () => asNode('n1', 'GET', secret));
  });

  it('knows on a second server what was written through the first, and finds its policy in place', async () => {
    if (suite.etcd === undefined) return;
    const before = await versions();
    const ns = await suite.namespace();
    await created(
      suite.client.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('v', 'ClusterRole', 'view', 'viewer')),
    );
    const second: TestServer = await startTestServer({ etcd: suite.etcd });
    const client = new ApiClient(second.running.url, second.running.token);
    try {
      const asViewer = { headers: { 'impersonate-user': 'viewer' } };
      assert.equal((await client.send('GET', `/api/v1/namespaces/${ns}/pods`, asViewer)).status, 200);
      assert.deepEqual(await versions(), before);
      await suite.client.delete(`${rbac}/namespaces/${ns}/rolebindings/v`);
      await until(403, () => client.send('GET', `/api/v1/namespaces/${ns}/pods`, asViewer));
    } finally {
      client.close();
      await second.stop();
      assert.deepEqual(second.errors, []);
    }
  });
});

describe('a server of other modes', () => {
  it('denies all users except administrators, or none', async () => {
    for (const [mode, status] of [
      ['AlwaysDeny', 403],
      ['AlwaysAllow', 200],
    ] as const) {
      const server = await startTestServer({ args: [`--authorization-mode=${mode}`] });
      try {
        assert.equal((await server.client.get('/api/v1/pods')).status, 200);
        const somebody = await server.client.send('GET', '/api/v1/pods', {
          headers: { 'impersonate-user': 'somebody' },
        });
        assert.equal(somebody.status, status, somebody.body.toString());
      } finally {
        await server.stop();
      }
    }
  });
});
