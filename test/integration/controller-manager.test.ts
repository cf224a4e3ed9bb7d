import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBrokenGroup } from '../fixtures/broken-group.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { until } from '../fixtures/until.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';

/** Managers as processes of their own against a server in another one. */
describe('binnacle controller-manager', function () {
  this.timeout(90_000);
  let dir: string;
  let server: BinnacleProcess;
  let client: ApiClient;
  const programs: ProgramProcess[] = [];

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-manager-'));
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(dir, name), text);
      return path.join(dir, name);
    };
    server = await startBinnacle([
      '--authorization-mode=Node,RBAC',
      `--token-auth-file=${file('tokens', 'one-token,one,1,system:masters\ntwo-token,two,2,system:masters\nsome-token,some,3,\n')}`,
      `--audit-policy-file=${file('audit.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n')}`,
      `--audit-log-path=${path.join(dir, 'audit.log')}`,
      '--audit-log-mode=blocking',
    ]);
    client = new ApiClient(server.url, server.token);
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
  });
  after(async () => {
    client.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The administrator's file with another token. */
  const kubeconfigOf = (user: string): string => {
    const found = path.join(dir, `${user}.kubeconfig`);
    writeFileSync(found, readFileSync(server.kubeconfig, 'utf8').replaceAll(server.token, `${user}-token`));
    return found;
  };
  const quick = [
    '--leader-elect-lease-duration=3s',
    '--leader-elect-renew-deadline=2s',
    '--leader-elect-retry-period=200ms',
  ];
  const start = async (user: string, ...args: string[]): Promise<{ program: ProgramProcess; url: string }> => {
    const [port] = await freePorts(1);
    const program = await startProgramProcess(
      [
        'controller-manager',
        `--kubeconfig=${kubeconfigOf(user)}`,
        '--bind-address=127.0.0.1',
        '--address=127.0.0.1',
        `--secure-port=${port}`,
        '--cert-dir=',
        ...(args.some((arg) => arg.startsWith('--port=')) ? [] : ['--port=0']),
        ...quick,
        ...args,
      ],
      'serving securely',
    );
    programs.push(program);
    return { program, url: `https://127.0.0.1:${port}` };
  };
  const deployment = (name: string, replicas: number): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const podsOf = async (app: string): Promise<number> =>
    (await client.get(`${PODS}?labelSelector=app%3D${app}`)).json.items.length;
  const holder = async (): Promise<string> =>
    (await client.get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager')).json.spec
      .holderIdentity ?? '';

  it('rolls a deployment out, each controller as its own account, while an API group is broken', async () => {
    const front = await startBrokenGroup(server.url);
    const { program } = await start('one', '--use-service-account-credentials', `--master=${front.url}`);
    assert.equal((await client.post(DEPLOYMENTS, deployment('web', 3))).status, 201);
    await until(async () => (await podsOf('web')) === 3, 'three pods');
    const accounts = await client.get('/api/v1/namespaces/kube-system/serviceaccounts');
    const names = accounts.json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    for (const name of ['deployment-controller', 'replicaset-controller'])
      assert.ok(names.includes(name), `${name} in ${names}`);
    const makers = auditEvents(dir)
      .filter(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'pods')
      .map(({ user }) => user.username);
    assert.deepEqual([...new Set(makers)], ['system:serviceaccount:kube-system:replicaset-controller']);
    assert.match(program.output, /discovery of broken\.example\.com\/v1/);
    assert.equal(await program.stop(), 0);
    assert.equal(await holder(), '', 'the lock is free at once');
    await front.close();
  });

  it('looks after nodes, volumes and old tokens with no more than the roles of the accounts allow', async () => {
    const create = async (path: string, body: object): Promise<any> => {
      const answer = await client.post(path, body);
      assert.equal(answer.status, 201, String(answer.body));
      return answer.json;
    };
    const metadataOf = async (path: string): Promise<any> => (await client.get(path)).json.metadata;
    const tracking = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    await client.patch(tracking, 'merge', { data: { since: '2020-01-01' } });
    const core = '/api/v1/namespaces/default';
    await create(`${core}/serviceaccounts`, { metadata: { name: 'robot' }, secrets: [{ name: 'old' }] });
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    await create(`${core}/secrets`, {
      metadata: { name: 'old', annotations },
      type: 'kubernetes.io/service-account-token',
    });
    const createdMs = Date.now();
    await until(() => Date.now() > createdMs + 1100, 'the clean-up period');
    const { program } = await start(
      'one',
      '--use-service-account-credentials',
      '--allocate-node-cidrs',
      '--cluster-cidr=10.244.0.0/16',
      '--legacy-service-account-token-clean-up-period=1s',
    );
    const invalid = 'kubernetes.io/legacy-token-invalid-since';
    await until(async () => (await metadataOf(`${core}/secrets/old`)).labels?.[invalid] !== undefined, 'the mark');
    await create('/api/v1/nodes', { metadata: { name: 'n' } });
    await until(async () => (await client.get('/api/v1/nodes/n')).json.spec.podCIDR !== undefined, 'a range');
    const ttl = 'node.alpha.kubernetes.io/ttl';
    await until(async () => (await metadataOf('/api/v1/nodes/n')).annotations?.[ttl] === '0', 'the time to live');
    await create('/apis/storage.k8s.io/v1/volumeattributesclasses', {
      metadata: { name: 'gold' },
      driverName: 'csi.example.org',
      parameters: { iops: '100' },
    });
    await until(
      async () => (await metadataOf('/apis/storage.k8s.io/v1/volumeattributesclasses/gold')).finalizers?.length === 1,
      'the finalizer of a class',
    );
    await create('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'disks' },
      provisioner: 'kubernetes.io/gce-pd',
      allowVolumeExpansion: true,
    });
    const [accessModes, size, storageClassName] = [['ReadWriteOnce'], { storage: '1Gi' }, 'disks'];
    await create('/api/v1/persistentvolumes', {
      metadata: { name: 'v' },
      spec: { capacity: size, accessModes, storageClassName, gcePersistentDisk: { pdName: 'one' } },
    });
    const claim = `${core}/persistentvolumeclaims/data`;
    await create(`${core}/persistentvolumeclaims`, {
      metadata: { name: 'data' },
      spec: { accessModes, resources: { requests: size }, storageClassName },
    });
    await until(async () => (await client.get(claim)).json.status.phase === 'Bound', 'a volume');
    await client.patch(claim, 'merge', { spec: { resources: { requests: { storage: '2Gi' } } } });
    const resizer = 'volume.kubernetes.io/storage-resizer';
    await until(
      async () => (await metadataOf(claim)).annotations?.[resizer] === 'pd.csi.storage.gke.io',
      'the name of the driver that is to expand it',
    );
    assert.doesNotMatch(program.output, /forbidden/i);
    await client.delete('/api/v1/nodes/n');
  });

  it('answers health, metrics, options and profiles to those whom the server lets read them', async () => {
    const [insecure] = await freePorts(1);
    const { url } = await start('one', `--port=${insecure}`, '--controllers=deployment,replicaset-controller');
    const [anonymous, nobody, some, admin] = ['', 'wrong', 'some-token', 'one-token'].map(
      (token) => new ApiClient(url, token),
    ) as [ApiClient, ApiClient, ApiClient, ApiClient];
    const open = new URL(`http://127.0.0.1:${insecure}`);
    const readOpen = async (page: string): Promise<string> => (await fetch(new URL(page, open))).text();
    try {
      let health = '';
      await until(async () => {
        health = String((await anonymous.send('GET', '/healthz?verbose', { headers: { authorization: '' } })).body);
        return /deployment-controller ok/.test(health) && /replicaset-controller ok/.test(health);
      }, 'both are well');
      assert.equal(
        health,
        '[+]leaderElection ok\n[+]deployment-controller ok\n[+]replicaset-controller ok\nhealthz check passed\n',
      );
      for (const page of ['/healthz', '/livez', '/readyz', '/healthz/deployment-controller'])
        assert.equal(await readOpen(page), 'ok', page);
      assert.deepEqual(
        await Promise.all([nobody, some, admin].map(async (reader) => (await reader.get('/metrics')).status)),
        [401, 403, 200],
      );
      const forbidden = (await some.get('/metrics')).json;
      assert.equal(forbidden.message, 'forbidden: User "some" cannot get path "/metrics"');
      const metrics = String((await admin.get('/metrics')).body);
      for (const wanted of [
        'leader_election_master_status{name="kube-controller-manager"} 1',
        /^workqueue_adds_total\{name="deployment"\}|^workqueue_adds_total\{name="deployment-controller"\}/m,
        /^rest_client_requests_total\{code="200",host="[\d.:]+",method="GET"\} [1-9]/m,
        /^process_cpu_seconds_total /m,
        /^authentication_token_cache_request_total\{status="miss"\} [1-9]/m,
      ])
        assert.ok(typeof wanted === 'string' ? metrics.includes(wanted) : wanted.test(metrics), String(wanted));
      const shown = (await admin.get('/configz')).json['kubecontrollermanager.config.k8s.io'];
      assert.equal(shown.controllers, 'deployment,replicaset-controller');
      assert.equal((await admin.get('/debug/pprof/heap')).status, 200);
      assert.equal((await admin.get('/api/v1/pods')).status, 404);
      assert.equal((await admin.send('POST', '/configz', { body: {} })).status, 405);
    } finally {
      for (const reader of [anonymous, nobody, some, admin]) reader.close();
    }
  });

  it('hands over from a leader that is paused, which writes nothing when it goes on, and ends', async () => {
    const { program: first } = await start('one');
    await until(async () => (await holder()) !== '', 'a leader');
    const firstHolder = await holder();
    assert.equal((await client.post(DEPLOYMENTS, deployment('paused', 2))).status, 201);
    await until(async () => (await podsOf('paused')) === 2, 'two pods');
    await start('two');
    first.signal('SIGSTOP');
    // The paused leader has an event to work on when it goes on.
    await client.patch(`${DEPLOYMENTS}/paused`, 'merge', { spec: { replicas: 5 } });
    await until(async () => (await holder()) !== firstHolder && (await podsOf('paused')) === 5, 'the second leads');
    const before = writesOf(dir, 'one').length;
    await client.patch(`${DEPLOYMENTS}/paused`, 'merge', { spec: { replicas: 6 } });
    first.signal('SIGCONT');
    assert.equal(await first.ended(), 1, first.output);
    assert.match(first.output, /leader election lost/);
    await until(async () => (await podsOf('paused')) === 6, 'the second goes on');
    assert.deepEqual(
      writesOf(dir, 'one')
        .slice(before)
        .filter(({ objectRef }) => objectRef?.resource !== 'events'),
      [],
    );
  });

  it('learns what the server has by two requests, and is not sent again what is the same', async () => {
    const before = auditEvents(dir).length;
    await start('two', '--controllers=namespace-controller', '--leader-elect=false');
    const asked = (): readonly string[] =>
      auditEvents(dir)
        .slice(before)
        .filter(
          ({ user, requestURI, objectRef }) =>
            user.username === 'two' && objectRef === undefined && requestURI.startsWith('/api'),
        )
        .map(({ requestURI, responseStatus }) => `${requestURI} ${responseStatus?.code}`);
    const deleteNamespace = async (name: string): Promise<void> => {
      await client.post('/api/v1/namespaces', { metadata: { name } });
      await client.delete(`/api/v1/namespaces/${name}`);
      await until(async () => (await client.get(`/api/v1/namespaces/${name}`)).status === 404, `${name} is gone`);
    };
    for (let i = 0; !asked().includes('/api 304'); i++) await deleteNamespace(`gone-${i}`);
    // The manager itself and the controller.
    const first = asked().filter((request) => request.endsWith(' 200'));
    assert.deepEqual(first.toSorted(), ['/api 200', '/api 200', '/apis 200', '/apis 200']);
    assert.deepEqual([...new Set(asked())].toSorted(), ['/api 200', '/api 304', '/apis 200', '/apis 304']);
  });
});

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: { readonly code: number };
  readonly stage: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string };
}

function auditEvents(dir: string): readonly AuditEvent[] {
  const lines = readFileSync(path.join(dir, 'audit.log'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as AuditEvent).filter(({ stage }) => stage === 'ResponseComplete');
}

function writesOf(dir: string, user: string): readonly AuditEvent[] {
  return auditEvents(dir).filter(
    (event) => event.user.username === user && ['create', 'update', 'patch', 'delete'].includes(event.verb),
  );
}
