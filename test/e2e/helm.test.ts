/** Real helm binaries against the built program: the life of a release with every workload kind. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { runProgram, toolPath, type Finished } from '../fixtures/run-program.ts';

const chart = resolve(import.meta.dirname, 'charts/everything');
const namespace = 'shop';

/** Where the chart's objects of a release stand, hooks excluded. */
function pathsOf(release: string): string[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const cluster = `${namespace}-${release}`;
  return [
    `${core}/configmaps/${release}-settings`,
    `${core}/secrets/${release}-credentials`,
    `${core}/serviceaccounts/${release}`,
    `${core}/services/${release}`,
    `${core}/services/${release}-peers`,
    `${core}/persistentvolumeclaims/${release}-data`,
    `${core}/pods/${release}-shell`,
    `${core}/replicationcontrollers/${release}-old`,
    `${apps}/deployments/${release}`,
    `${apps}/statefulsets/${release}-db`,
    `${apps}/daemonsets/${release}-agent`,
    `${apps}/replicasets/${release}-workers`,
    `/apis/batch/v1/namespaces/${namespace}/jobs/${release}-once`,
    `/apis/batch/v1/namespaces/${namespace}/cronjobs/${release}-nightly`,
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${release}`,
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/${release}`,
    `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/${release}`,
    `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${release}`,
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/${release}`,
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/${release}`,
    `/apis/rbac.authorization.k8s.io/v1/clusterroles/${cluster}`,
    `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${cluster}`,
    `/apis/scheduling.k8s.io/v1/priorityclasses/${cluster}`,
  ];
}

describe('helm', function () {
  this.timeout(120_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  let home: string;

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'binnacle-helm-'));
    server = await startBinnacle();
    client = new ApiClient(server.url, server.token);
    assert.equal((await client.post('/api/v1/namespaces', { metadata: { name: namespace } })).status, 201);
  });

  after(async () => {
    client?.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function runHelm(version: string, args: readonly string[]): Promise<Finished> {
    const env = {
      KUBECONFIG: server.kubeconfig,
      HELM_CACHE_HOME: join(home, 'cache'),
      HELM_CONFIG_HOME: join(home, 'config'),
      HELM_DATA_HOME: join(home, 'data'),
    };
    const own = args.includes('--namespace') ? args : [...args, '--namespace', namespace];
    return runProgram(toolPath(`helm-${version}`), own, { env, timeoutMs: 90_000 });
  }

  /** A copy of the chart with its configuration only. */
  function smallChart(name: string): string {
    const small = join(home, name);
    cpSync(chart, small, { recursive: true });
    for (const template of ['access', 'network', 'storage', 'scaling', 'workloads', 'hooks'])
      rmSync(join(small, `templates/${template}.yaml`));
    return small;
  }

  /** Output of a helm that has to succeed. */
  async function helm(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await runHelm('3.17', args);
    assert.equal(status, 0, `helm ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function read(path: string): Promise<any> {
    const answer = await client.get(path);
    assert.equal(answer.status, 200, `${path}: ${answer.body.toString()}`);
    return answer.json;
  }

  const deployment = (release: string): Promise<any> =>
    read(`/apis/apps/v1/namespaces/${namespace}/deployments/${release}`);
  const configMap = (name: string): Promise<any> => read(`/api/v1/namespaces/${namespace}/configmaps/${name}`);

  async function releaseSecrets(release: string): Promise<any[]> {
    const list = await read(
      `/api/v1/namespaces/${namespace}/secrets?labelSelector=${encodeURIComponent(`owner=helm,name=${release}`)}`,
    );
    return list.items;
  }

  /**
   * Of the release's objects those that still exist. A claim waits for the controller that its finalizer names; none
   * runs here.
   */
  async function leftOf(release: string): Promise<string[]> {
    const claim = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${release}-data`;
    const found = await client.get(claim);
    if (found.status === 200 && found.json.metadata.deletionTimestamp !== undefined) {
      assert.deepEqual(found.json.metadata.finalizers, ['kubernetes.io/pvc-protection']);
      assert.equal((await client.patch(claim, 'merge', { metadata: { finalizers: null } })).status, 200);
    }
    const statuses = await Promise.all(
      pathsOf(release).map(async (path) => ({ path, status: (await client.get(path)).status })),
    );
    return statuses.filter(({ status }) => status !== 404).map(({ path, status }) => `${path}: ${status}`);
  }

  describe('a release from install to uninstall', () => {
    const release = 'web';

    it('validates the templates against the server', async () => {
      const output = await helm('template', release, chart, '--validate');
      assert.match(output, /kind: CronJob/);
    });

    it('refuses a dry run of what the server does not know', async () => {
      const broken = join(home, 'unknown-kind');
      cpSync(chart, broken, { recursive: true });
      writeFileSync(
        join(broken, 'templates/unknown.yaml'),
        'apiVersion: example.com/v1\nkind: Gadget\nmetadata:\n  name: it\n',
      );
      const { status, stderr } = await runHelm('3.17', ['install', release, broken, '--dry-run=server']);
      assert.notEqual(status, 0);
      assert.match(stderr, /no matches for kind "Gadget" in version "example.com\/v1"/);
    });

    it('installs every kind', async () => {
      const output = await helm('install', release, chart);
      assert.match(output, /STATUS: deployed/);
      assert.match(output, /Release web, revision 1, says hello\./);
      for (const path of pathsOf(release)) await read(path);
      assert.equal(
        Buffer.from(
          (await read(`/api/v1/namespaces/${namespace}/secrets/${release}-credentials`)).data.password,
          'base64',
        ).toString(),
        'pässword of web',
      );
    });

    it('runs hooks', async () => {
      assert.deepEqual((await configMap(`${release}-before`)).data, { revision: '1' });
      assert.equal(
        (await client.get(`/api/v1/namespaces/${namespace}/configmaps/${release}-after`)).status,
        404,
        'deleted when it succeeded',
      );
    });

    it('keeps its release in a secret', async () => {
      const [secret, ...more] = await releaseSecrets(release);
      assert.deepEqual(more, []);
      assert.equal(secret.type, 'helm.sh/release.v1');
      assert.equal(secret.metadata.name, `sh.helm.release.v1.${release}.v1`);
      assert.equal(secret.metadata.labels.status, 'deployed');
      const text = Buffer.from(Buffer.from(secret.data.release, 'base64').toString(), 'base64');
      const stored = JSON.parse(gunzipSync(text).toString());
      assert.equal(stored.name, release);
    });

    it('does not install twice', async () => {
      const { status, stderr } = await runHelm('3.17', ['install', release, chart]);
      assert.equal(status, 1);
      assert.match(stderr, /cannot re-use a name that is still in use/);
    });

    it('does not take over objects of others', async () => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      assert.equal((await client.post(path, { metadata: { name: 'other-settings' } })).status, 201);
      const { status, stderr } = await runHelm('3.17', ['install', 'other', chart]);
      assert.equal(status, 1);
      assert.match(stderr, /ConfigMap "other-settings" in namespace "shop" exists and cannot be imported/);
      assert.equal((await client.delete(`${path}/other-settings`)).status, 200);
      assert.deepEqual(await leftOf('other'), []);
      assert.deepEqual(await releaseSecrets('other'), []);
    });

    it('upgrades by a three-way merge', async () => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${release}`;
      const before = await deployment(release);
      // One change in what the chart says, one in what it does not say.
      const edit = {
        metadata: { annotations: { 'example.com/note': 'kept' } },
        spec: {
          replicas: 7,
          template: { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '1500m' } } }] } },
        },
      };
      assert.equal((await client.patch(path, 'strategic', edit)).status, 200);
      const service = await read(`/api/v1/namespaces/${namespace}/services/${release}`);

      await helm(
        'upgrade',
        release,
        chart,
        '--set',
        'image.tag=2.0',
        '--set',
        'settings.greeting=hi',
        '--set',
        'settings.color=null',
        '--set',
        'service.port=8080',
      );
      const now = await deployment(release);
      assert.equal(now.metadata.uid, before.metadata.uid);
      assert.equal(now.spec.replicas, 2);
      assert.equal(now.metadata.annotations['example.com/note'], 'kept');
      const container = now.spec.template.spec.containers[0];
      assert.equal(container.image, 'registry.example.com/shop/web:2.0');
      assert.deepEqual(container.resources, { limits: { cpu: '1500m' } });
      assert.ok(now.metadata.generation > before.metadata.generation);
      assert.deepEqual((await configMap(`${release}-settings`)).data, { greeting: 'hi' });
      assert.deepEqual((await configMap(`${release}-before`)).data, { revision: '2' });
      const changed = await read(`/api/v1/namespaces/${namespace}/services/${release}`);
      assert.equal(changed.spec.ports[0].port, 8080);
      assert.equal(changed.spec.clusterIP, service.spec.clusterIP);
    });

    it('adds and removes objects as templates change', async () => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/${release}-extra`;
      await helm('upgrade', release, chart, '--reuse-values', '--set', 'extraConfig=true');
      assert.deepEqual((await read(path)).data, { more: 'yes' });

      const changed = join(home, 'changed');
      cpSync(chart, changed, { recursive: true });
      rmSync(join(changed, 'templates/scaling.yaml'));
      const network = join(changed, 'templates/network.yaml');
      writeFileSync(
        network,
        readFileSync(network, 'utf8').replace(
          '- name: db\n      port: 5432',
          '- name: db\n      port: 5433\n    - name: metrics\n      port: 9187',
        ),
      );
      await helm('upgrade', release, changed, '--reuse-values', '--set', 'extraConfig=false');
      assert.equal((await client.get(path)).status, 404);
      assert.equal(
        (await client.get(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/${release}`)).status,
        404,
      );
      const peers = await read(`/api/v1/namespaces/${namespace}/services/${release}-peers`);
      assert.deepEqual(
        peers.spec.ports.map((port: any) => [port.name, port.port]),
        [
          ['db', 5433],
          ['metrics', 9187],
        ],
      );
    });

    it('reports the release', async () => {
      assert.equal((await helm('status', release, '--output', 'json').then(JSON.parse)).info.status, 'deployed');
      const [row] = JSON.parse(await helm('list', '--output', 'json'));
      assert.deepEqual(
        [row.name, row.namespace, row.revision, row.status, row.chart, row.app_version],
        [release, namespace, '4', 'deployed', 'everything-1.2.3', '4.5'],
      );
      const everywhere = JSON.parse(await helm('list', '--all-namespaces', '--output', 'json'));
      assert.deepEqual(
        everywhere.map((item: any) => item.name),
        [release],
      );
      const history = JSON.parse(await helm('history', release, '--output', 'json'));
      assert.deepEqual(
        history.map((item: any) => [item.revision, item.status]),
        [
          [1, 'superseded'],
          [2, 'superseded'],
          [3, 'superseded'],
          [4, 'deployed'],
        ],
      );
      assert.match(
        await helm('get', 'manifest', release, '--revision', '1'),
        /image: "registry.example.com\/shop\/web:1.0"/,
      );
      const values = JSON.parse(await helm('get', 'values', release, '--output', 'json'));
      assert.deepEqual(values, {
        image: { tag: '2.0' },
        settings: { greeting: 'hi', color: null },
        service: { port: 8080 },
        extraConfig: false,
      });
      assert.match(await helm('get', 'hooks', release), /name: web-before/);
      assert.match(await helm('get', 'notes', release), /revision 4, says hi/);
    });

    it('rolls back', async () => {
      await helm('rollback', release, '1');
      assert.equal(
        (await deployment(release)).spec.template.spec.containers[0].image,
        'registry.example.com/shop/web:1.0',
      );
      assert.deepEqual((await configMap(`${release}-settings`)).data, { greeting: 'hello', color: 'blue' });
      for (const path of pathsOf(release)) await read(path);
      const history = JSON.parse(await helm('history', release, '--output', 'json'));
      assert.deepEqual([history.at(-1).revision, history.at(-1).description], [5, 'Rollback to 1']);
    });

    it('uninstalls, with the history kept', async () => {
      assert.match(await helm('uninstall', release, '--keep-history'), /release "web" uninstalled/);
      assert.deepEqual(await leftOf(release), []);
      assert.deepEqual(JSON.parse(await helm('list', '--output', 'json')), []);
      assert.equal(JSON.parse(await helm('list', '--uninstalled', '--output', 'json'))[0].status, 'uninstalled');
      assert.equal((await releaseSecrets(release)).length, 5);
    });

    it('brings an uninstalled release back and uninstalls it for good', async () => {
      await helm('rollback', release, '2');
      assert.equal(
        (await deployment(release)).spec.template.spec.containers[0].image,
        'registry.example.com/shop/web:2.0',
      );
      await helm('uninstall', release, '--cascade', 'foreground');
      // Foreground deletion leaves objects that wait for the garbage collector; nothing depends on them.
      await Promise.all(
        pathsOf(release).map(async (path) => {
          const answer = await client.get(path);
          if (answer.status === 200 && answer.json.metadata.finalizers?.includes('foregroundDeletion'))
            await client.patch(path, 'merge', { metadata: { finalizers: null } });
        }),
      );
      assert.deepEqual(await leftOf(release), []);
      assert.deepEqual(await releaseSecrets(release), []);
    });
  });

  it('leaves nothing behind when an atomic install fails', async () => {
    const { status, stderr } = await runHelm('3.17', [
      'install',
      'broken',
      chart,
      '--atomic',
      '--timeout',
      '20s',
      '--set',
      'brokenService=true',
    ]);
    assert.equal(status, 1);
    assert.match(stderr, /spec\.ports\[0\]\.port: Invalid value: 70000: must be between 1 and 65535, inclusive/);
    assert.deepEqual(await leftOf('broken'), []);
    assert.deepEqual(await releaseSecrets('broken'), []);
  });

  it('goes back to the former revision when an upgrade fails', async () => {
    await helm('install', 'steady', chart);
    const { status } = await runHelm('3.17', [
      'upgrade',
      'steady',
      chart,
      '--set',
      'brokenService=true',
      '--set',
      'image.tag=9',
    ]);
    assert.equal(status, 1);
    assert.equal(JSON.parse(await helm('status', 'steady', '--output', 'json')).info.status, 'failed');
    await helm('rollback', 'steady');
    assert.equal(
      (await deployment('steady')).spec.template.spec.containers[0].image,
      'registry.example.com/shop/web:1.0',
    );
    await helm('uninstall', 'steady');
    assert.deepEqual(await leftOf('steady'), []);
  });

  it('lists more releases than a page has', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/several-1-settings`;
    const small = smallChart('several');
    for (let i = 0; i < 3; i++) await helm('install', `several-${i}`, small);
    await read(path);
    assert.deepEqual(
      JSON.parse(await helm('list', '--max', '2', '--offset', '1', '--output', 'json')).map((item: any) => item.name),
      ['several-1', 'several-2'],
    );
    assert.match(await helm('uninstall', 'several-0', 'several-1', 'several-2'), /"several-2" uninstalled/);
    assert.equal((await client.get(path)).status, 404);
  });

  it('creates the namespace when asked to', async () => {
    const install = await runHelm('3.17', [
      'install',
      'elsewhere',
      smallChart('elsewhere'),
      '--create-namespace',
      '--namespace',
      'new-one',
    ]);
    assert.equal(install.status, 0, install.stderr);
    assert.equal((await read('/api/v1/namespaces/new-one')).metadata.labels.name, 'new-one');
    const everywhere = JSON.parse(await helm('list', '--all-namespaces', '--output', 'json'));
    assert.ok(everywhere.some((item: any) => item.name === 'elsewhere' && item.namespace === 'new-one'));
    assert.equal((await runHelm('3.17', ['uninstall', 'elsewhere', '--namespace', 'new-one'])).status, 0);
  });

  it('works with helm 4', async () => {
    const run = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await runHelm('4.1', args);
      assert.equal(status, 0, `helm ${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    await run('install', 'four', chart, '--server-side=false');
    await run('upgrade', 'four', chart, '--server-side=false', '--set', 'image.tag=2.0');
    assert.equal(
      (await deployment('four')).spec.template.spec.containers[0].image,
      'registry.example.com/shop/web:2.0',
    );
    await run('rollback', 'four', '1', '--server-side=false');
    assert.equal(JSON.parse(await run('list', '--output', 'json'))[0].revision, '3');
    await run('uninstall', 'four');
    assert.deepEqual(await leftOf('four'), []);
  });
});
