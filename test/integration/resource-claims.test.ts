/**
 * Devices and claims as drivers, the scheduler and nodes work with them, each with the rights that it has by default.
 */
import assert from 'node:assert/strict';
import type { Answer, ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';

const devices = '/apis/resource.k8s.io/v1';
const claims = `${devices}/namespaces/work/resourceclaims`;
const request = { name: 'one', exactly: { deviceClassName: 'gpu.example.com' } };
const slice = (name: string, nodeName: string): object => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: {
    driver: 'gpu.example.com',
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0', attributes: { model: { string: 'a' } } }],
  },
});
const allocation = {
  devices: { results: [{ request: 'one', driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' }] },
};
const scheduler = { 'impersonate-user': 'system:kube-scheduler' };
const node = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };

describe('claims for devices', () => {
  let server: TestServer;
  let client: ApiClient;
  before(async () => {
    server = await startTestServer();
    client = server.client;
    await created('/api/v1/namespaces', { metadata: { name: 'work' } });
    await created(`${devices}/deviceclasses`, {
      metadata: { name: 'gpu.example.com' },
      spec: { selectors: [{ cel: { expression: 'true' } }] },
    });
    await created('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'driver' },
      rules: [{ apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status'], verbs: ['patch', 'update'] }],
    });
    await created('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'driver' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'driver' },
      subjects: [{ kind: 'User', name: 'driver', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  });
  after(async () => {
    await server?.stop();
    assert.deepEqual(server?.errors, []);
  });

  async function created(path: string, body: object): Promise<any> {
    const answer = await client.post(path, body);
    assert.equal(answer.status, 201, answer.body.toString());
    return answer.json;
  }
  const by = (headers: Record<string, string>, method: string, path: string, body?: unknown): Promise<Answer> =>
    client.send(method, path, {
      headers,
      ...(body === undefined
        ? {}
        : { body, ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}) }),
    });
  const messageOf = ({ json }: Answer): string => json.message;

  it('are made, allocated by the scheduler, and given back', async () => {
    const claim = await created(claims, { metadata: { name: 'mine' }, spec: { devices: { requests: [request] } } });
    assert.deepEqual(
      [
        claim.spec.devices.requests[0].exactly.allocationMode,
        claim.spec.devices.requests[0].exactly.count,
        claim.status,
      ],
      ['ExactCount', 1, {}],
    );
    const status = { allocation, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] };
    assert.equal(
      (await by({ 'impersonate-user': 'driver' }, 'PATCH', `${claims}/mine/status`, { status: {} })).status,
      200,
    );
    const refused = await by({ 'impersonate-user': 'driver' }, 'PATCH', `${claims}/mine/status`, { status });
    assert.equal(refused.status, 422);
    assert.match(
      messageOf(refused),
      /status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims\/binding", verb="patch" permission: .*cannot patch resource "resourceclaims\/binding".* at the cluster scope/,
    );
    const bound = await by(scheduler, 'PATCH', `${claims}/mine/status`, { status });
    assert.equal(bound.status, 200, bound.body.toString());
    const table = await client.get(`${claims}`, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    assert.deepEqual(
      table.json.rows.map(({ cells }: { cells: unknown[] }) => cells.slice(0, 2)),
      [['mine', 'allocated,reserved']],
    );
    const put = await by(scheduler, 'PUT', `${claims}/mine/status`, { ...bound.json, status: {} });
    assert.deepEqual(put.json.status, {});
    assert.equal((await client.delete(`${claims}/mine`)).json.kind, 'ResourceClaim');
  });

  it('leave it to drivers what is said of their devices', async () => {
    const { metadata } = await created(claims, {
      metadata: { name: 'used' },
      spec: { devices: { requests: [request] } },
    });
    assert.equal((await by(scheduler, 'PATCH', `${claims}/used/status`, { status: { allocation } })).status, 200);
    const status = {
      devices: [
        {
          driver: 'gpu.example.com',
          pool: 'n1',
          device: 'gpu-0',
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'Up',
              message: '',
              lastTransitionTime: metadata.creationTimestamp,
            },
          ],
        },
      ],
    };
    const refused = await by({ 'impersonate-user': 'driver' }, 'PATCH', `${claims}/used/status`, { status });
    assert.match(
      messageOf(refused),
      /requires resource="resourceclaims\/driver", verb="\[arbitrary-node:patch\]" permission/,
    );
    await created('/apis/rbac.authorization.k8s.io/v1/namespaces/work/roles', {
      metadata: { name: 'gpu' },
      rules: [
        {
          apiGroups: ['resource.k8s.io'],
          resources: ['resourceclaims/driver'],
          verbs: ['arbitrary-node:patch'],
          resourceNames: ['gpu.example.com'],
        },
      ],
    });
    await created('/apis/rbac.authorization.k8s.io/v1/namespaces/work/rolebindings', {
      metadata: { name: 'gpu' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gpu' },
      subjects: [{ kind: 'User', name: 'driver', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const allowed = await by({ 'impersonate-user': 'driver' }, 'PATCH', `${claims}/used/status`, { status });
    assert.equal(allowed.status, 200, allowed.body.toString());
    assert.equal(allowed.json.status.devices[0].conditions[0].type, 'Ready');
  });

  it('have access to devices that others use in marked namespaces alone', async () => {
    const admin = {
      metadata: { name: 'admin' },
      spec: { devices: { requests: [{ name: 'one', exactly: { ...request.exactly, adminAccess: true } }] } },
    };
    const refused = await client.post(claims, admin);
    assert.equal(refused.status, 422);
    assert.match(
      messageOf(refused),
      /adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io\/admin-access: true` label on the containing namespace$/,
    );
    assert.equal(
      (
        await client.patch('/api/v1/namespaces/work', 'merge', {
          metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } },
        })
      ).status,
      200,
    );
    await created(claims, admin);
  });

  it('reach nodes as far as their pods need them', async () => {
    await created(`${devices}/resourceslices`, slice('theirs', 'n2'));
    const own = await by(node, 'POST', `${devices}/resourceslices`, slice('own', 'n1'));
    assert.equal(own.status, 201, own.body.toString());
    assert.match(
      messageOf(await by(node, 'POST', `${devices}/resourceslices`, slice('other', 'n2'))),
      /can only create ResourceSlice with the same NodeName as the requesting node/,
    );
    const selected = await by(node, 'GET', `${devices}/resourceslices?fieldSelector=spec.nodeName%3Dn1`);
    assert.deepEqual(
      selected.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ['own'],
    );
    for (const path of ['', '?fieldSelector=spec.nodeName%3Dn2', '/theirs'])
      assert.equal((await by(node, 'GET', `${devices}/resourceslices${path}`)).status, 403, path);
    assert.equal((await by(node, 'GET', `${devices}/resourceslices/own`)).status, 200);
    assert.equal((await by(node, 'DELETE', `${devices}/resourceslices?fieldSelector=spec.nodeName%3Dn1`)).status, 200);
    assert.equal((await client.get(`${devices}/resourceslices/own`)).status, 404);
    assert.equal((await client.get(`${devices}/resourceslices/theirs`)).status, 200);

    for (const name of ['given', 'hidden'])
      await created(claims, { metadata: { name }, spec: { devices: { requests: [request] } } });
    await created('/api/v1/namespaces/work/pods', {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'dev' }] } }],
        resourceClaims: [{ name: 'dev', resourceClaimName: 'given' }],
      },
    });
    assert.equal((await by(node, 'GET', `${claims}/given`)).status, 200);
    assert.equal((await by(node, 'GET', `${claims}/hidden`)).status, 403);
    const status = { extendedResourceClaimStatus: { resourceClaimName: 'hidden', requestMappings: [] } };
    const forged = await by(node, 'PATCH', '/api/v1/namespaces/work/pods/p/status', { status });
    assert.match(messageOf(forged), /node "n1" cannot update extended resource claim status$/);
    assert.equal((await by(node, 'GET', `${claims}/hidden`)).status, 403);
    assert.equal((await by(scheduler, 'PATCH', '/api/v1/namespaces/work/pods/p/status', { status })).status, 200);
    await until(
      async () => (await by(node, 'GET', `${claims}/hidden`)).status === 200,
      'the claim of the pod is readable',
    );
  });

  it('count towards quotas by the class of their devices', async () => {
    await created('/api/v1/namespaces', { metadata: { name: 'bounded' } });
    const name = 'gpu.example.com.deviceclass.resource.k8s.io/devices';
    await created('/api/v1/namespaces/bounded/resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: { [name]: '2' } },
    });
    const bounded = `${devices}/namespaces/bounded/resourceclaims`;
    const asking = (count: number): object => ({
      metadata: { generateName: 'c-' },
      spec: { devices: { requests: [{ name: 'one', exactly: { ...request.exactly, count } }] } },
    });
    const refused = await client.post(bounded, asking(3));
    assert.equal(refused.status, 403);
    assert.match(
      messageOf(refused),
      new RegExp(`exceeded quota: q, requested: ${name}=3, used: ${name}=0, limited: ${name}=2`),
    );
    const huge = await client.send('POST', bounded, {
      body: JSON.stringify(asking(3)).replace('"count":3', '"count":9223372036854775807'),
      contentType: 'application/json',
    });
    assert.equal(huge.status, 403, huge.body.toString());
    await created(bounded, asking(2));
    assert.equal((await client.post(bounded, asking(1))).status, 403);
  });

  it('are described to clients', async () => {
    const { json } = await client.get('/openapi/v3/apis/resource.k8s.io/v1');
    const schemas = Object.keys(json.components.schemas);
    for (const kind of ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'])
      assert.ok(schemas.includes(`io.k8s.api.resource.v1.${kind}`), kind);
    assert.ok(json.paths[`${devices}/namespaces/{namespace}/resourceclaims/{name}/status`]);
    const v2 = await client.get('/openapi/v2');
    assert.ok(v2.json.definitions['io.k8s.api.resource.v1.ResourceSlice']);
  });
});
