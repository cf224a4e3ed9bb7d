import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { controlledObjects } from '../fixtures/controlled-objects.ts';
import { FaultyFront, type SeenRequest } from '../fixtures/faulty-front.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { refusals } from '../fixtures/recorded-requests.ts';
import { until } from '../fixtures/until.ts';

/** By group version, resource or subresource: the verbs that a stock server of release 1.36 has by default. */
const stock: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../fixtures/stock-resources.json'), 'utf8'),
);
const nodesAreLostSoon = [
  '--node-monitor-period=500ms',
  '--node-monitor-grace-period=2s',
  '--node-startup-grace-period=2s',
];
/** Asked by autoscalers, and answered where something else measures. */
const METRICS = '/apis/metrics.k8s.io/v1beta1/';
const WORKLOADS = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Job'];
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

/** The whole manager on a server that shows and serves no more than a stock one. */
describe('binnacle controller-manager with the API of a stock server', function () {
  this.timeout(120_000);
  let dir: string;
  let server: BinnacleProcess;
  let client: ApiClient;
  let front: FaultyFront;
  let manager: ProgramProcess;
  const beyond: string[] = [];

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-stock-api-'));
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(dir, name), text);
      return path.join(dir, name);
    };
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = file('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const policy =
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n';
    server = await startBinnacle([
      '--disable-admission-plugins=',
      '--authorization-mode=Node,RBAC',
      `--token-auth-file=${file('tokens', 'manager-token,system:kube-controller-manager,1,\n')}`,
      `--audit-policy-file=${file('audit.yaml', policy)}`,
      `--audit-log-path=${path.join(dir, 'audit.log')}`,
      '--audit-log-mode=blocking',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
    ]);
    client = new ApiClient(server.url, server.token);
    front = await FaultyFront.start(server.url);
    const groups = stockGroups((await client.get('/apis')).json);
    front.faultOf = (request) => {
      if (request.path === '/apis')
        return { status: 200, headers: { 'content-type': 'application/json' }, body: groups };
      if (isStock(request)) return undefined;
      beyond.push(`${request.method} ${request.path}`);
      return { status: 404 };
    };
    const kubeconfig = readFileSync(server.kubeconfig, 'utf8').replaceAll(server.token, 'manager-token');
    const connection = [
      `--kubeconfig=${file('kubeconfig', kubeconfig)}`,
      `--master=${front.url}`,
      '--cluster-api-qps=300',
    ];
    const more = [
      '--secure-port=0',
      '--port=0',
      '--use-service-account-credentials',
      `--service-account-private-key-file=${key}`,
      ...nodesAreLostSoon,
    ];
    manager = await startProgramProcess(['controller-manager', ...connection, ...more], '"msg":"leading"');
  });
  after(async () => {
    await manager.stop();
    await front.stop();
    client.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('calls nothing that a stock server does not have, and finishes its work', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'work' } });
    const core = '/api/v1/namespaces/work';
    const evicted = `${core}/pods/on-tainted-node`;
    const found = async (place: string): Promise<any> => (await client.get(place)).json;
    await until(async () => (await client.get(`${core}/serviceaccounts/default`)).status === 200, 'its account');
    for (const [place, object] of controlledObjects('work')) {
      const answer = await client.post(place, object);
      assert.equal(answer.status, 201, `${place}: ${answer.body.toString()}`);
    }
    const states: Readonly<Record<string, () => Promise<boolean>>> = {
      'pods of all workloads': async () => {
        const { items } = await found(`${core}/pods`);
        const kinds = items.map((pod: any) => pod.metadata.ownerReferences?.[0].kind ?? 'none');
        return WORKLOADS.every((kind) => kinds.includes(kind));
      },
      'a budget that knows its pods': async () =>
        (await found('/apis/policy/v1/namespaces/work/poddisruptionbudgets/o')).status?.expectedPods === 2,
      'a bound claim': async () => (await found(`${core}/persistentvolumeclaims/o`)).status?.phase === 'Bound',
      'an ephemeral claim': async () =>
        (await client.get(`${core}/persistentvolumeclaims/with-claims-v`)).status === 200,
      'a claim for devices': async () =>
        (await found('/apis/resource.k8s.io/v1/namespaces/work/resourceclaims')).items.length === 1,
      'a token': async () => (await found(`${core}/secrets/token`)).data?.token !== undefined,
      'an aggregated role': async () =>
        (await found('/apis/rbac.authorization.k8s.io/v1/clusterroles/o')).rules?.length === 1,
      'a mirrored slice': async () =>
        (await found('/apis/discovery.k8s.io/v1/namespaces/work/endpointslices')).items.length === 2,
      'a quota that counts': async () => Number((await found(`${core}/resourcequotas/o`)).status?.used?.pods) > 0,
      'an evicted pod': async () => (await found(evicted)).metadata.deletionTimestamp !== undefined,
    };
    for (const [what, holds] of Object.entries(states)) await until(holds, what);
    // There is no agent that would end it.
    await client.delete(evicted, { gracePeriodSeconds: 0 });
    await client.delete('/api/v1/namespaces/work', { propagationPolicy: 'Background' });
    await until(async () => (await client.get('/api/v1/namespaces/work')).status === 404, 'the namespace is gone');
    assert.deepEqual([...new Set(beyond)], []);
    assert.deepEqual(await refusals([path.join(dir, 'audit.log')]), []);
    assert.equal(manager.status, null, manager.output);
  });
});

/** Without groups and versions that a stock server does not have. */
function stockGroups(document: { groups: { name: string; versions: { groupVersion: string }[] }[] }): string {
  const groups = document.groups.map((group) => ({
    ...group,
    versions: group.versions.filter(({ groupVersion }) => groupVersion in stock),
  }));
  return JSON.stringify({ ...document, groups: groups.filter(({ versions }) => versions.length > 0) });
}

function isStock({ method, path: place, query }: SeenRequest): boolean {
  if (place.startsWith(METRICS)) return true;
  const [root, ...rest] = place.split('/').slice(1);
  const groupVersion = root === 'api' ? rest.splice(0, 1).join() : rest.splice(0, 2).join('/');
  const resources = stock[groupVersion];
  if (resources === undefined || !['api', 'apis'].includes(root!)) return false;
  if (rest.length === 0) return method === 'GET';
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2]!);
  const [resource = '', name, subresource] = isNamespaced ? rest.slice(2) : rest;
  const verbs = resources[subresource === undefined ? resource : `${resource}/${subresource}`] ?? '';
  return verbs.split(' ').includes(verbOf(method, name, query));
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  if (method === 'GET' && name !== undefined) return 'get';
  if (method === 'GET') return query.has('watch') ? 'watch' : 'list';
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  return VERBS[method] ?? method;
}
