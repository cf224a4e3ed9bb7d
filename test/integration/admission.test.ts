import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OptionsError } from '../../pkg/options/options-error.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

interface Answer {
  status: number;
  body: { message?: string; metadata?: { annotations?: Record<string, string> }; spec?: any; status?: any };
  warning: string | undefined;
}

/** Admission as a whole server does it; each plugin's own cases stand beside the plugin. */
describe('admission', () => {
  let server: TestServer;
  let dir: string;
  const container = (more: object = {}) => ({ name: 'c', image: 'i:1', ...more });
  const ns = '/api/v1/namespaces/default';

  async function ask(method: string, where: string, body?: object, type = 'application/json'): Promise<Answer> {
    const answer = await server.client.send(method, where, {
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { 'content-type': type },
    });
    const text = answer.body.toString();
    return {
      status: answer.status,
      body: text.startsWith('{') ? JSON.parse(text) : {},
      warning: answer.headers['warning'] as string | undefined,
    };
  }
  const createPod = (name: string, spec: object, query = '') =>
    ask('POST', `${ns}/pods${query}`, { metadata: { name }, spec: { containers: [container()], ...spec } });

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-admission-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  it('gives pods their service account, and refuses one that is never created', async () => {
    server = await startTestServer({ args: ['--disable-admission-plugins=PodSecurity'], controllers: [] });
    const own = '/api/v1/namespaces/own';
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'own' } });
    const createOwn = (name: string) =>
      ask('POST', `${own}/pods`, { metadata: { name }, spec: { containers: [container()] } });
    const refused = await createOwn('early');
    assert.deepEqual(
      [refused.status, refused.body.message],
      [
        403,
        'pods "early" is forbidden: error looking up service account own/default: serviceaccount "default" not found',
      ],
    );
    await ask('POST', `${own}/serviceaccounts`, { metadata: { name: 'default' } });
    const { status, body } = await createOwn('p');
    assert.equal(status, 201);
    assert.equal(body.spec.serviceAccountName, 'default');
    assert.match(body.spec.volumes[0].name, /^kube-api-access-/);
    assert.equal(body.spec.containers[0].volumeMounts[0].mountPath, '/var/run/secrets/kubernetes.io/serviceaccount');
  });

  it('counts what a namespace uses, whatever becomes of single writes', async () => {
    server = await startTestServer();
    await ask('POST', `${ns}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': '5', 'requests.cpu': '1' } },
    });
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) => ask('POST', `${ns}/configmaps`, { metadata: { name: `m${i % 8}` } })),
    );
    const count = (code: number) => made.filter(({ status }) => status === code).length;
    assert.equal(count(201), 5);
    assert.equal(count(201) + count(403) + count(409), 12);
    const used = async () => (await ask('GET', `${ns}/resourcequotas/q`)).body.status.used;
    assert.equal((await used())['count/configmaps'], '5');
    assert.equal((await ask('POST', `${ns}/configmaps`, { metadata: { name: 'more' } })).status, 403);
    assert.equal(
      (await createPod('dry', { containers: [container({ resources: { requests: { cpu: '600m' } } })] }, '?dryRun=All'))
        .status,
      201,
    );
    assert.equal((await used())['requests.cpu'], undefined);
    // Refused by validation, after nothing or something was charged: nothing stays charged.
    assert.equal(
      (await createPod('Bad Name', { containers: [container({ resources: { requests: { cpu: '600m' } } })] })).status,
      422,
    );
    assert.equal(
      (await createPod('p', { containers: [container({ resources: { requests: { cpu: '600m' } } })] })).status,
      201,
    );
    assert.equal((await used())['requests.cpu'], '600m');
  });

  it('warns of pods that a stricter level would refuse', async () => {
    server = await startTestServer();
    await ask(
      'PATCH',
      ns,
      {
        metadata: {
          labels: { 'pod-security.kubernetes.io/warn': 'baseline', 'pod-security.kubernetes.io/enforce': 'baseline' },
        },
      },
      'application/merge-patch+json',
    );
    const refused = await createPod('p', { hostNetwork: true });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'],
    );
    const template = { metadata: { labels: { a: 'b' } }, spec: { hostPID: true, containers: [container()] } };
    const warned = await ask('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    assert.equal(warned.status, 201);
    assert.match(
      warned.warning ?? '',
      /would violate PodSecurity \\?"baseline:latest\\?": host namespaces \(hostPID=true\)/,
    );
  });

  it('keeps people out of privileged pods before anything else is looked at', async () => {
    server = await startTestServer({
      args: [
        '--allow-privileged',
        '--enable-admission-plugins=DenyEscalatingExec',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
    assert.equal(
      (await createPod('privileged', { containers: [container({ securityContext: { privileged: true } })] })).body
        .message,
      undefined,
    );
    await createPod('plain', {});
    const exec = (name: string, subresource: string) => ask('GET', `${ns}/pods/${name}/${subresource}?command=sh`);
    for (const subresource of ['exec', 'attach']) {
      const { status, body } = await exec('privileged', subresource);
      assert.deepEqual(
        [status, body.message],
        [403, 'pods "privileged" is forbidden: cannot exec into or attach to a privileged container'],
      );
      assert.equal((await exec('plain', subresource)).body.message, 'pod plain does not have a host assigned');
    }
    assert.equal(
      (await exec('privileged', 'portforward')).body.message,
      'pod privileged does not have a host assigned',
    );
  });

  it('refuses privileged containers where the operator does', async () => {
    server = await startTestServer();
    const { status, body } = await createPod('p', {
      containers: [container({ securityContext: { privileged: true } })],
    });
    assert.deepEqual(
      [status, body.message],
      [
        422,
        'Pod "p" is invalid: spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
      ],
    );
  });

  it('keeps a node to what is its own', async () => {
    const tokens = path.join(dir, 'tokens.csv');
    writeFileSync(tokens, 'node-token,system:node:n1,n1,"system:nodes"\n');
    server = await startTestServer({
      args: [
        `--token-auth-file=${tokens}`,
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
    const asNode = async (method: string, where: string, body: object) => {
      const answer = await server.client.send(method, where, {
        body: JSON.stringify(body),
        headers: { authorization: 'Bearer node-token', 'content-type': 'application/json' },
      });
      return [answer.status, answer.json.message];
    };
    assert.deepEqual(
      await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } } }),
      [201, undefined],
    );
    assert.deepEqual(await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n2' } }), [
      403,
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    ]);
    await createPod('mine', { nodeName: 'n1', serviceAccountName: 'sa' });
    await createPod('theirs', { nodeName: 'n2' });
    await ask('POST', `${ns}/serviceaccounts`, { metadata: { name: 'sa' } });
    const uid = async (name: string): Promise<string> =>
      ((await ask('GET', `${ns}/pods/${name}`)).body.metadata as { uid: string }).uid;
    const token = async (name: string) =>
      asNode('POST', `${ns}/serviceaccounts/sa/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: await uid(name) } },
      });
    assert.equal((await token('mine'))[0], 201);
    assert.deepEqual(await token('theirs'), [
      403,
      'serviceaccounts "sa" is forbidden: node requested token bound to a pod scheduled on a different node',
    ]);
    const [, unbound] = await asNode('POST', `${ns}/serviceaccounts/sa/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    assert.equal(unbound, 'serviceaccounts "sa" is forbidden: node requested token not bound to a pod');
  });

  it('holds resized pods to quotas and limit ranges', async () => {
    server = await startTestServer();
    const sized = (cpu: string, memory = '1Gi') => ({
      containers: [container({ resources: { requests: { cpu }, limits: { memory } } })],
    });
    const resize = (cpu: string, memory?: string) =>
      ask('PATCH', `${ns}/pods/p/resize`, { spec: sized(cpu, memory) }, 'application/strategic-merge-patch+json');
    await ask('POST', `${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '1' } } });
    await ask('POST', `${ns}/limitranges`, {
      metadata: { name: 'l' },
      spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] },
    });
    assert.equal((await createPod('p', sized('100m'))).status, 201);
    assert.equal(
      (await resize('2')).body.message,
      'pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=1900m, used: requests.cpu=100m, limited: requests.cpu=1',
    );
    assert.equal(
      (await resize('100m', '2Gi')).body.message,
      'pods "p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
    );
    assert.equal((await resize('500m')).status, 200);
    assert.equal((await ask('GET', `${ns}/resourcequotas/q`)).body.status.used['requests.cpu'], '500m');
  });

  it('makes namespaces, presets and policies work together', async () => {
    server = await startTestServer({
      args: [
        '--enable-admission-plugins=NamespaceAutoProvision,PodPreset,PodSecurityPolicy',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
    assert.equal((await ask('POST', '/api/v1/namespaces/made/configmaps', { metadata: { name: 'm' } })).status, 201);
    assert.equal((await ask('GET', '/api/v1/namespaces/made')).body.status.phase, 'Active');
    const any = { rule: 'RunAsAny' };
    const policy = {
      metadata: { name: 'drops' },
      spec: {
        seLinux: any,
        runAsUser: any,
        supplementalGroups: any,
        fsGroup: any,
        volumes: ['*'],
        requiredDropCapabilities: ['KILL'],
      },
    };
    assert.equal(
      (await createPod('p', {})).body.message,
      'pods "p" is forbidden: no providers available to validate pod request',
    );
    assert.equal((await ask('POST', '/apis/policy/v1beta1/podsecuritypolicies', policy)).status, 201);
    await ask('POST', '/apis/settings.k8s.io/v1alpha1/namespaces/default/podpresets', {
      metadata: { name: 'env' },
      spec: { selector: {}, env: [{ name: 'A', value: '1' }] },
    });
    const { status, body } = await createPod('p', {});
    assert.equal(status, 201);
    assert.deepEqual(body.spec.containers[0].env, [{ name: 'A', value: '1' }]);
    assert.deepEqual(body.spec.containers[0].securityContext, { capabilities: { drop: ['KILL'] } });
    assert.equal(body.metadata?.annotations?.['kubernetes.io/psp'], 'drops');
  });

  it('is asked about reviews as well, which say nothing of whether a namespace is there', async () => {
    server = await startTestServer({ args: ['--enable-admission-plugins=NodeRestriction'] });
    const spec = { user: 'jane', resourceAttributes: { namespace: 'none', verb: 'get', resource: 'pods' } };
    const local = () =>
      ask('POST', '/apis/authorization.k8s.io/v1/namespaces/none/localsubjectaccessreviews', {
        metadata: { namespace: 'none' },
        spec,
      });
    const { status, body } = await local();
    assert.deepEqual([status, body.status], [201, { allowed: false }]);
    await server.stop();
    server = await startTestServer({ args: ['--enable-admission-plugins=AlwaysDeny'], controllers: [] });
    for (const answer of [
      await local(),
      await ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec }),
      await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }),
    ]) {
      assert.equal(answer.status, 403);
      assert.match(answer.body.message ?? '', /admission control is denying all modifications$/);
    }
  });

  it('runs with initializers, which nothing waits for', async () => {
    const log: string[] = [];
    server = await startTestServer({
      args: [
        '--enable-admission-plugins=Initializers',
        '--feature-gates=Initializers=true',
        '--runtime-config=admissionregistration.k8s.io/v1alpha1',
      ],
      onLog: (line) => log.push(line),
    });
    assert.equal(log.filter((line) => line.includes('Initializers has nothing to do')).length, 1);
    const made = await ask('POST', `${ns}/configmaps`, {
      metadata: { name: 'm', initializers: { pending: [{ name: 'a.example.com' }] } },
    });
    assert.deepEqual([made.status, made.warning], [201, '299 - "unknown field \\"metadata.initializers\\""']);
    const { metadata } = (await ask('GET', `${ns}/configmaps/m`)).body;
    assert.equal(Object.hasOwn(metadata!, 'initializers'), false);
  });

  it('heeds the configuration file, and does not start with one that is wrong', async () => {
    const file = path.join(dir, 'admission.yaml');
    const write = (enforce: string) =>
      writeFileSync(
        file,
        `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: ${enforce}}
`,
      );
    write('strict');
    await assert.rejects(startTestServer({ args: [`--admission-control-config-file=${file}`] }), (error: unknown) => {
      assert.ok(error instanceof OptionsError, String(error));
      assert.deepEqual(error.problems, [
        `--admission-control-config-file=${file}: PodSecurity: defaults.enforce must be one of privileged, baseline, restricted`,
      ]);
      return true;
    });
    write('baseline');
    server = await startTestServer({
      args: [`--admission-control-config-file=${file}`, '--disable-admission-plugins=ServiceAccount'],
    });
    assert.match(
      (await createPod('p', { hostPID: true })).body.message ?? '',
      /violates PodSecurity "baseline:latest"/,
    );
  });
});

describe('admission policies', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const matchConstraints = {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
  };
  const mutation = { patchType: 'JSONPatch', jsonPatch: { expression: '[]' } };
  const specs = {
    ValidatingAdmissionPolicy: { matchConstraints, validations: [{ expression: 'false' }] },
    ValidatingAdmissionPolicyBinding: { policyName: 'p', validationActions: ['Deny'] },
    MutatingAdmissionPolicy: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      failurePolicy: 'Fail',
      mutations: [mutation],
    },
    MutatingAdmissionPolicyBinding: { policyName: 'p' },
  };
  for (const [kind, spec] of Object.entries(specs)) {
    it(`warn the writer of a ${kind} that they are not enforced`, async () => {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase().replace(/y$/, 'ie')}s`;
      const created = await server.client.post(path, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: 'p' },
        spec,
      });
      const updated = await server.client.put(`${path}/p`, created.json);
      const patched = await server.client.patch(`${path}/p`, 'merge', { metadata: { labels: { a: 'b' } } });
      assert.deepEqual(
        [created, updated, patched].map(({ status }) => status),
        [201, 200, 200],
      );
      for (const { headers } of [created, updated, patched])
        assert.match(
          String(headers['warning']),
          /^299 - "admission policies are not enforced yet: the object is stored, but [^"]* not evaluated"$/,
        );
      assert.equal((await server.client.get(`${path}/p`)).headers['warning'], undefined);
    });
  }
});
