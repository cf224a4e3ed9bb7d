import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { FaultyFront, type SeenRequest } from '../fixtures/faulty-front.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { until } from '../fixtures/until.ts';

/** By group version, resource or subresource: the verbs that a stock server of release 1.36 has by default. */
const stock: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../fixtures/stock-resources.json'), 'utf8'),
);
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

/** The whole manager on a server that shows and serves no more than a stock one. */
describe('binnacle controller-manager with the API of a stock server', function () {
  this.timeout(120_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  let front: FaultyFront;
  let manager: ProgramProcess;
  const beyond: string[] = [];

  before(async () => {
    server = await startBinnacle(['--disable-admission-plugins=']);
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
    const connection = [`--kubeconfig=${server.kubeconfig}`, `--master=${front.url}`, '--cluster-api-qps=300'];
    const more = ['--secure-port=0', '--port=0', '--use-service-account-credentials'];
    manager = await startProgramProcess(['controller-manager', ...connection, ...more], '"msg":"leading"');
  });
  after(async () => {
    await manager.stop();
    await front.stop();
    client.close();
    await server.stop();
  });

  it('calls nothing that a stock server does not have, and finishes its work', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'work' } });
    const namespaced = (api: string): string => `${api}/namespaces/work`;
    await until(
      async () => (await client.get(`${namespaced('/api/v1')}/serviceaccounts/default`)).status === 200,
      'the account of the namespace',
    );
    const selector = { matchLabels: { app: 'web' } };
    const container = { name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
    const jobTemplate = { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } };
    const target = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'o' }, maxReplicas: 3 };
    const objects: readonly (readonly [api: string, resource: string, object: object])[] = [
      ['/apis/apps/v1', 'deployments', { spec: { replicas: 2, selector, template } }],
      [
        '/apis/apps/v1',
        'statefulsets',
        {
          spec: {
            serviceName: 'o',
            selector: { matchLabels: { app: 'db' } },
            template: { ...template, metadata: { labels: { app: 'db' } } },
          },
        },
      ],
      [
        '/apis/apps/v1',
        'daemonsets',
        {
          spec: {
            selector: { matchLabels: { app: 'd' } },
            template: { ...template, metadata: { labels: { app: 'd' } } },
          },
        },
      ],
      ['/apis/batch/v1', 'jobs', jobTemplate],
      ['/apis/batch/v1', 'cronjobs', { spec: { schedule: '* * * * *', jobTemplate } }],
      ['/apis/autoscaling/v2', 'horizontalpodautoscalers', { spec: target }],
      ['/apis/policy/v1', 'poddisruptionbudgets', { spec: { selector, minAvailable: 1 } }],
      ['/api/v1', 'services', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }],
      ['/api/v1', 'resourcequotas', { spec: { hard: { pods: '50' } } }],
      [
        '/api/v1',
        'persistentvolumeclaims',
        { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    ];
    for (const [api, resource, object] of objects) {
      const answer = await client.post(`${namespaced(api)}/${resource}`, { metadata: { name: 'o' }, ...object });
      assert.equal(answer.status, 201, String(answer.body));
    }
    // Of deployment, stateful set and job; there are no nodes for the daemon set.
    await until(async () => (await client.get(`${namespaced('/api/v1')}/pods`)).json.items.length === 4, 'four pods');
    await until(
      async () =>
        (await client.get(`${namespaced('/apis/policy/v1')}/poddisruptionbudgets/o`)).json.status?.expectedPods === 2,
      'the budget knows its pods',
    );
    await client.delete('/api/v1/namespaces/work', { propagationPolicy: 'Background' });
    await until(async () => (await client.get('/api/v1/namespaces/work')).status === 404, 'the namespace is gone');
    assert.deepEqual([...new Set(beyond)], []);
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
