import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

describe('--runtime-config', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const start = async (config: string): Promise<void> => {
    server = await startTestServer({ args: [`--runtime-config=${config}`] });
  };
  const status = async (path: string): Promise<number> => (await server.client.get(path)).status;
  const versions = async (group: string): Promise<string[]> =>
    (await server.client.get(`/apis/${group}`)).json.versions.map((v: { version: string }) => v.version);
  const openApiPaths = async (): Promise<string[]> => Object.keys((await server.client.get('/openapi/v3')).json.paths);

  it('takes a version out of serving, discovery and OpenAPI', async () => {
    await start('apps/v1beta1=false,policy/v1beta1=false');
    assert.deepEqual(await versions('apps'), ['v1', 'v1beta2']);
    assert.equal(await status('/apis/apps/v1beta1/deployments'), 404);
    assert.equal(await status('/apis/apps/v1beta1'), 404);
    assert.equal(await status('/apis/apps/v1/deployments'), 200);
    const paths = await openApiPaths();
    assert.deepEqual([paths.includes('apis/apps/v1beta1'), paths.includes('apis/apps/v1')], [false, true]);
    const v2 = (await server.client.get('/openapi/v2')).json.paths;
    assert.deepEqual(
      Object.keys(v2).filter((path) => path.startsWith('/apis/policy/v1beta1')),
      [],
    );
    assert.ok('/apis/policy/v1/poddisruptionbudgets' in v2);
    const aggregated = await server.client.get('/apis', {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    });
    const apps = aggregated.json.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'apps');
    assert.deepEqual(
      apps.versions.map((v: { version: string }) => v.version),
      ['v1', 'v1beta2'],
    );
  });

  it('takes a group away with its last version', async () => {
    await start('settings.k8s.io/v1alpha1=false');
    assert.equal(await status('/apis/settings.k8s.io'), 404);
    const groups = (await server.client.get('/apis')).json.groups.map((g: { name: string }) => g.name);
    assert.deepEqual([groups.includes('settings.k8s.io'), groups.includes('apps')], [false, true]);
  });

  it('takes single resources away', async () => {
    await start('extensions/v1beta1/daemonsets=false');
    assert.equal(await status('/apis/extensions/v1beta1/daemonsets'), 404);
    assert.equal(await status('/apis/extensions/v1beta1/deployments'), 200);
    assert.equal(await status('/apis/apps/v1/daemonsets'), 200);
    const names = (await server.client.get('/apis/extensions/v1beta1')).json.resources.map(
      (r: { name: string }) => r.name,
    );
    assert.deepEqual(
      names.filter((name: string) => name.startsWith('daemonsets')),
      [],
    );
  });

  it('turns everything off but what is named', async () => {
    await start('api/all=false,v1=true,apps/v1=true');
    assert.deepEqual(
      (await server.client.get('/apis')).json.groups.map((g: { name: string }) => g.name),
      ['apps'],
    );
    assert.equal(await status('/api/v1/namespaces'), 200);
    assert.equal(await status('/apis/batch/v1/jobs'), 404);
    assert.deepEqual(
      (await openApiPaths()).filter((path) => /v\d/.test(path)),
      ['api/v1', 'apis/apps/v1'],
    );
  });

  it('turns the core group off by its old name', async () => {
    await start('api/legacy=false');
    assert.equal(await status('/api/v1/pods'), 404);
    assert.deepEqual((await server.client.get('/api')).json.versions, []);
    assert.ok(!(await server.client.get('/')).json.paths.includes('/api/v1'));
    assert.equal(await status('/apis/apps/v1/deployments'), 200);
  });

  it('turns on versions that are served on demand alone', async () => {
    await start('batch/v2alpha1=true,rbac.authorization.k8s.io/v1alpha1/roles');
    assert.deepEqual(await versions('batch'), ['v1', 'v1beta1', 'v2alpha1']);
    assert.equal(await status('/apis/batch/v2alpha1/cronjobs'), 200);
    assert.deepEqual(
      [
        await status('/apis/rbac.authorization.k8s.io/v1alpha1/roles'),
        await status('/apis/rbac.authorization.k8s.io/v1alpha1/clusterroles'),
      ],
      [200, 404],
    );
    assert.equal(await status('/apis/scheduling.k8s.io/v1alpha1/priorityclasses'), 404);
    assert.ok((await openApiPaths()).includes('apis/batch/v2alpha1'));
    assert.ok(
      '/apis/batch/v2alpha1/namespaces/{namespace}/cronjobs' in (await server.client.get('/openapi/v2')).json.paths,
    );
  });

  it('turns whole stages off', async () => {
    await start('api/beta=false,api/alpha=false,policy/v1beta1=true');
    assert.deepEqual([await versions('apps'), await versions('policy')], [['v1'], ['v1', 'v1beta1']]);
    assert.equal(await status('/apis/settings.k8s.io/v1alpha1'), 404);
  });
});
