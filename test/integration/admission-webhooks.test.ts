import assert from 'node:assert/strict';
import { answerJson } from '../../pkg/net/https-service-testing.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { patchResponse, startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';

/** Admission webhooks as a whole server asks them. */
describe('admission webhooks', () => {
  let server: TestServer;
  let hook: WebhookServer;
  let made: string[];
  const maps = '/api/v1/namespaces/default/configmaps';
  const registered = '/apis/admissionregistration.k8s.io/v1';
  const rule = (...resources: string[]) => ({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources });

  async function register(type: 'mutating' | 'validating', name: string, ...webhooks: object[]): Promise<void> {
    const where = `${registered}/${type}webhookconfigurations`;
    const answer = await server.client.post(where, {
      metadata: { name },
      webhooks: webhooks.map((webhook, i) => ({
        name: `w${i}.${name}.example.com`,
        clientConfig: hook.clientConfig(`/${name}`),
        rules: [rule('configmaps')],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      })),
    });
    assert.equal(answer.status, 201, answer.body.toString());
    made.push(`${where}/${name}`);
  }
  const create = (name: string, more: object = {}, query = ''): Promise<Answer> =>
    server.client.post(`${maps}${query}`, { metadata: { name }, ...more });
  const told = ({ status, json }: Answer): unknown[] => [status, json.message];

  before(async () => {
    [server, hook] = await Promise.all([startTestServer(), startWebhookServer()]);
  });
  beforeEach(() => {
    made = [];
    hook.respond(() => undefined);
    hook.reviews.length = 0;
  });
  afterEach(async () => {
    for (const path of made) await server.client.delete(path);
    assert.deepEqual(server.errors, []);
  });
  after(async () => {
    await server.stop();
    await hook.close();
  });

  it('asks about creates, updates and deletes, with everything that a webhook may want to know', async () => {
    await register('validating', 'all', {});
    await create('asked', { data: { a: '1' } }, '?fieldManager=me');
    await server.client.patch(`${maps}/asked`, 'merge', { data: { a: '2' } });
    await server.client.delete(`${maps}/asked`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
    });
    const [created, updated, deleted] = hook.reviews;
    assert.equal(hook.received.at(-3)!.path, '/all?timeout=10s');
    assert.deepEqual(
      { ...created, uid: '', object: 0 },
      {
        uid: '',
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'asked',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: created.userInfo,
        object: 0,
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      },
    );
    assert.ok(created.userInfo.username !== '' && created.userInfo.groups.includes('system:authenticated'));
    assert.deepEqual(
      [created.object.kind, created.object.apiVersion, created.object.data],
      ['ConfigMap', 'v1', { a: '1' }],
    );
    assert.deepEqual(
      [updated.operation, updated.object.data.a, updated.oldObject.data.a, updated.options.kind],
      ['UPDATE', '2', '1', 'UpdateOptions'],
    );
    assert.deepEqual(
      [deleted.operation, deleted.object, deleted.oldObject.data.a, deleted.options],
      ['DELETE', null, '2', { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' }],
    );
  });

  it('asks about each object of a collection that is deleted, without a name', async () => {
    await create('one', { metadata: { name: 'one', labels: { batch: 'a' } } });
    await register('validating', 'batch', {});
    await server.client.delete(`${maps}?labelSelector=batch%3Da`);
    assert.deepEqual(
      hook.reviews.map(({ operation, name, namespace, oldObject }) => [
        operation,
        name,
        namespace,
        oldObject.metadata.name,
      ]),
      [['DELETE', undefined, 'default', 'one']],
    );
  });

  it('shows evictions in one version, whichever was sent', async () => {
    await register('validating', 'evictions', { rules: [rule('pods/eviction')] });
    hook.respond(() => ({ allowed: false }));
    for (const apiVersion of ['policy/v1', 'policy/v1beta1']) {
      const { status } = await server.client.post('/api/v1/namespaces/default/pods/p/eviction', {
        apiVersion,
        kind: 'Eviction',
        metadata: { name: 'p' },
      });
      assert.equal(status, 400);
    }
    assert.deepEqual(
      hook.reviews.map(({ kind, object }) => [`${kind.group}/${kind.version} ${kind.kind}`, object.apiVersion]),
      Array.from({ length: 2 }, () => ['policy/v1 Eviction', 'policy/v1']),
    );
  });

  it('asks about a creation where a replacement creates', async () => {
    await register('validating', 'puts', { rules: [rule('endpoints')] });
    const put = (subsets: object[]): Promise<Answer> =>
      server.client.put('/api/v1/namespaces/default/endpoints/made?fieldManager=me', {
        metadata: { name: 'made' },
        subsets,
      });
    assert.deepEqual(
      [(await put([])).status, (await put([{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }])).status],
      [201, 200],
    );
    assert.deepEqual(
      hook.reviews.map(({ operation, options, oldObject }) => [
        operation,
        options.kind,
        options.fieldManager,
        oldObject === null,
      ]),
      [
        ['CREATE', 'CreateOptions', 'me', true],
        ['UPDATE', 'UpdateOptions', 'me', false],
      ],
    );
  });

  it('refuses in the words of the webhook, in a code that is a refusal', async () => {
    await register('validating', 'no', {});
    const says = async (status?: object) => {
      hook.respond(() => ({ allowed: false, ...(status === undefined ? {} : { status }) }));
      return told(await create('refused'));
    };
    const deniedBy = 'admission webhook "w0.no.example.com" denied the request';
    assert.deepEqual(await says({ message: 'not today', code: 403 }), [403, `${deniedBy}: not today`]);
    assert.deepEqual(await says({ reason: 'Forbidden' }), [400, `${deniedBy}: Forbidden`]);
    assert.deepEqual(await says({ message: 'fine', code: 200, status: 'Success' }), [400, `${deniedBy}: fine`]);
    assert.deepEqual(await says(), [400, `${deniedBy} without explanation`]);
    assert.equal((await server.client.get(`${maps}/refused`)).status, 404);
  });

  it('changes objects in the order of names, each seeing what the others did, and asks again who wants to be asked again', async () => {
    await register('mutating', 'b-second', {});
    await register('mutating', 'a-first', { reinvocationPolicy: 'IfNeeded' });
    hook.respond((request, path) => {
      const data = request.object.data;
      if (path === '/a-first')
        return patchResponse({ op: 'add', path: '/data/first', value: String(Number(data.first ?? 0) + 1) });
      return patchResponse({ op: 'add', path: '/data/second', value: `after ${data.first}` });
    });
    const { json } = await create('changed', { data: { kept: 'yes' } });
    assert.deepEqual(json.data, { kept: 'yes', first: '2', second: 'after 1' });
    assert.equal(hook.reviews.length, 3);
  });

  it('converts objects for webhooks that know another version, and back with its defaults', async () => {
    await register('mutating', 'old', {
      rules: [
        { operations: ['CREATE'], apiGroups: ['extensions'], apiVersions: ['v1beta1'], resources: ['deployments'] },
      ],
    });
    await register('validating', 'exact', {
      matchPolicy: 'Exact',
      rules: [
        { operations: ['CREATE'], apiGroups: ['extensions'], apiVersions: ['v1beta1'], resources: ['deployments'] },
      ],
    });
    hook.respond((request) =>
      patchResponse({
        op: 'add',
        path: '/metadata/labels',
        value: { seen: request.object.apiVersion.replace('/', '_') },
      }),
    );
    const labels = { app: 'a' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    const { json } = await server.client.post('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec,
    });
    assert.deepEqual([json.apiVersion, json.metadata.labels], ['apps/v1', { seen: 'extensions_v1beta1' }]);
    assert.equal(hook.reviews.length, 1);
    const [{ kind, requestKind, resource, requestResource }] = hook.reviews;
    assert.deepEqual(
      [kind, requestKind],
      [
        { group: 'extensions', version: 'v1beta1', kind: 'Deployment' },
        { group: 'apps', version: 'v1', kind: 'Deployment' },
      ],
    );
    assert.deepEqual([resource.group, requestResource.group], ['extensions', 'apps']);
  });

  it('shows what comes to subresources and connections, in its own kind', async () => {
    await register('validating', 'below', { rules: [rule('deployments/scale', 'pods/exec', 'pods/eviction')] });
    await server.client.put('/apis/apps/v1/namespaces/default/deployments/d/scale', {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'default' },
      spec: { replicas: 3 },
    });
    const [scale] = hook.reviews;
    assert.deepEqual(
      [scale.kind, scale.resource.resource, scale.subResource, scale.object.spec.replicas],
      [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'deployments', 'scale', 3],
    );
  });

  it('selects by the labels of namespaces and objects, before and after', async () => {
    const rules = [rule('namespaces', 'configmaps')];
    await register('validating', 'picky', {
      rules,
      namespaceSelector: { matchLabels: { watched: 'yes' } },
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
    });
    await create('elsewhere');
    await server.client.post('/api/v1/namespaces', { metadata: { name: 'quiet' } });
    assert.equal(hook.reviews.length, 0);
    await server.client.post('/api/v1/namespaces', { metadata: { name: 'watched', labels: { watched: 'yes' } } });
    await server.client.post('/api/v1/namespaces/watched/configmaps', { metadata: { name: 'm' } });
    await server.client.post('/api/v1/namespaces/watched/configmaps', {
      metadata: { name: 'n', labels: { skip: '' } },
    });
    await server.client.patch('/api/v1/namespaces/watched/configmaps/m', 'merge', {
      metadata: { labels: { skip: '' } },
    });
    assert.deepEqual(
      hook.reviews.map(({ namespace, name, operation }) => `${operation} ${namespace}/${name}`),
      ['CREATE watched/watched', 'CREATE watched/m', 'UPDATE watched/m'],
    );
  });

  it('calls no webhook for the configurations of webhooks', async () => {
    await register('validating', 'everything', { rules: [rule('*/*')] });
    hook.respond(() => ({ allowed: false }));
    assert.equal((await create('no')).status, 400);
    assert.equal((await server.client.delete(`${registered}/validatingwebhookconfigurations/everything`)).status, 200);
    assert.equal((await create('yes')).status, 201);
  });

  it('keeps dry runs from webhooks that may have effects, and shows them to others', async () => {
    const body = {
      metadata: { name: 'effects' },
      webhooks: [
        {
          name: 'w.effects.example.com',
          clientConfig: hook.clientConfig(),
          rules: [rule('configmaps')],
          sideEffects: 'Some',
          admissionReviewVersions: ['v1beta1'],
        },
      ],
    };
    assert.equal(
      (await server.client.post('/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations', body))
        .status,
      201,
    );
    made.push(`${registered}/validatingwebhookconfigurations/effects`);
    assert.deepEqual(told(await create('dry', {}, '?dryRun=All')), [
      400,
      'admission webhook "w.effects.example.com" does not support dry run',
    ]);
    assert.equal(hook.reviews.length, 0);
    assert.equal((await create('wet')).status, 201);
    assert.equal(JSON.parse(hook.received.at(-1)!.body).apiVersion, 'admission.k8s.io/v1beta1');
    await server.client.delete(made.pop()!);
    await register('validating', 'none', {});
    assert.equal((await create('dry', {}, '?dryRun=All')).status, 201);
    assert.equal(hook.reviews.at(-1).dryRun, true);
  });

  it('applies large patches on a thread', async () => {
    const { counts, thresholds } = server.running.server.pools;
    await register('mutating', 'large', {});
    const large = 'x'.repeat(thresholds.patchThreadBytes);
    hook.respond(() => patchResponse({ op: 'add', path: '/data', value: { large } }));
    const before = counts.patchPool;
    assert.equal((await create('large')).json.data.large, large);
    assert.equal(counts.patchPool, before + 1);
    hook.respond(() =>
      patchResponse(
        { op: 'add', path: '/data', value: { large } },
        { op: 'test', path: '/data/large', value: 'small' },
      ),
    );
    assert.deepEqual(told(await create('larger')), [
      500,
      'Internal error occurred: testing value /data/large failed: test failed',
    ]);
    assert.equal(counts.patchPool, before + 2);
  });

  it('passes warnings on', async () => {
    await register('validating', 'warns', {});
    hook.respond(() => ({ warnings: ['think again'] }));
    assert.equal((await create('warned')).headers['warning'], '299 - "think again"');
  });

  it('takes the version of an update from what webhooks made of it', async () => {
    await create('versioned');
    await register('mutating', 'versions', {});
    const put = (): Promise<Answer> =>
      server.client.put(`${maps}/versioned`, { metadata: { name: 'versioned' }, data: { a: 'b' } });
    hook.respond((request) =>
      patchResponse({
        op: 'add',
        path: '/metadata/resourceVersion',
        value: request.object.metadata.resourceVersion === undefined ? '1' : 'seen',
      }),
    );
    assert.equal((await put()).status, 409);
    hook.respond(() => undefined);
    assert.equal((await put()).status, 200);
    hook.respond(() => patchResponse({ op: 'remove', path: '/metadata/resourceVersion' }));
    assert.equal((await server.client.patch(`${maps}/versioned`, 'merge', { data: { a: 'c' } })).status, 200);
  });

  it('lets no webhook move an object into another namespace or make another kind of it', async () => {
    await register('mutating', 'mover', {});
    hook.respond(() => patchResponse({ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }));
    assert.deepEqual(told(await create('moved')), [
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    hook.respond(() => patchResponse({ op: 'remove', path: '/metadata/namespace' }));
    assert.equal((await create('unmoved')).json.metadata.namespace, 'default');
    hook.respond(() => patchResponse({ op: 'replace', path: '/kind', value: 'Secret' }));
    assert.equal((await create('moved')).status, 500);
    hook.respond(() => patchResponse({ op: 'add', path: '/data', value: JSON.parse('{"__proto__":"x"}') }));
    assert.deepEqual(Object.keys((await create('proto')).json.data), ['__proto__']);
  });

  describe('that fail', () => {
    const call = 'Internal error occurred: failed calling webhook "w0.bad.example.com": ';
    const failures: [string, (w: WebhookServer) => void, RegExp][] = [
      [
        'answers 500',
        (w) => w.misbehave((to) => to.writeHead(500).end('internal secret')),
        /^failed to call webhook: an error on the server \("unknown"\) has prevented the request from succeeding$/,
      ],
      [
        'does not know the path',
        (w) => w.misbehave((to) => to.writeHead(404).end()),
        /^failed to call webhook: the server could not find the requested resource$/,
      ],
      [
        'redirects',
        (w) => w.misbehave((to) => to.writeHead(302, { location: '/other' }).end()),
        /^failed to call webhook: the server responded with the status code 302 but did not return more information$/,
      ],
      ['answers nothing', (w) => w.misbehave((to) => to.end()), /^failed to call webhook: 0-length response$/],
      [
        'answers garbage',
        (w) => w.misbehave((to) => to.end('<html>')),
        /^failed to call webhook: couldn't get version\/kind; json parse error: /,
      ],
      [
        'answers without end',
        (w) =>
          w.misbehave((to) => {
            to.on('error', () => undefined);
            to.write('[');
            for (let i = 0; i < 5; i++) to.write(' '.repeat(1024 * 1024));
          }),
        /^failed to call webhook: Post ".*": the answer is larger than 3145728 bytes$/,
      ],
      [
        'answers another question',
        (w) => w.respond(() => ({ uid: 'x' })),
        /^received invalid webhook response: expected response.uid="[-0-9a-f]{36}", got "x"$/,
      ],
      [
        'answers in another version',
        (w) =>
          w.misbehave((to, { uid }) =>
            answerJson(to, {
              kind: 'AdmissionReview',
              apiVersion: 'admission.k8s.io/v1beta1',
              response: { uid, allowed: true },
            }),
          ),
        /^failed to call webhook: converting \(v1beta1.AdmissionReview\) to \(v1.AdmissionReview\): unknown conversion$/,
      ],
      [
        'answers with another kind',
        (w) => w.misbehave((to) => answerJson(to, { kind: 'Status', apiVersion: 'v1' })),
        /^failed to call webhook: no kind "Status" is registered for version "v1"$/,
      ],
      [
        'does not say what it answers',
        (w) => w.misbehave((to, { uid }) => answerJson(to, { response: { uid, allowed: true } })),
        /^received invalid webhook response: expected webhook response of admission.k8s.io\/v1, Kind=AdmissionReview, got \/, Kind=$/,
      ],
      [
        'says nothing at all',
        (w) => w.misbehave((to) => answerJson(to, {})),
        /^received invalid webhook response: webhook response was absent$/,
      ],
      [
        'gives no response',
        (w) => w.misbehave((to) => answerJson(to, { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' })),
        /^received invalid webhook response: webhook response was absent$/,
      ],
      [
        'patches without a type',
        (w) => w.respond(() => ({ patch: 'W10=' })),
        /^received invalid webhook response: (webhook returned response.patch but not response.patchType|validating webhook may not return response.patch)$/,
      ],
      [
        'is slow',
        (w) => w.misbehave(() => undefined),
        /^failed to call webhook: Post "https:\/\/127.0.0.1:\d+\/bad\?timeout=1s": context deadline exceeded$/,
      ],
    ];
    for (const [name, misbehave, expected] of failures) {
      it(`refuses requests when one ${name}, or ignores it where configured, and serves others meanwhile`, async () => {
        await register('mutating', 'bad', { timeoutSeconds: 1, rules: [rule('configmaps')] });
        misbehave(hook);
        const [refused, other] = await Promise.all([
          create('f'),
          server.client.post('/api/v1/namespaces/default/secrets', { metadata: { generateName: 's' } }),
        ]);
        assert.equal(other.status, 201);
        const { message } = refused.json;
        assert.equal(refused.status, 500);
        assert.ok(message.startsWith(call), message);
        assert.match(message.slice(call.length), expected);
        await server.client.delete(made.pop()!);
        await register('validating', 'bad', { timeoutSeconds: 1, failurePolicy: 'Ignore' });
        assert.equal((await create('f')).status, 201);
        await server.client.delete(`${maps}/f`);
      });
    }

    it('refuses when no server listens, when the certificate is of another authority, and when the service does not exist', async () => {
      const stranger = await startWebhookServer();
      const problem = async (clientConfig: object): Promise<string> => {
        await register('validating', 'bad', { clientConfig });
        const { status, json } = await create('f');
        await server.client.delete(made.pop()!);
        assert.equal(status, 500);
        return json.message.slice(call.length);
      };
      assert.match(
        await problem({ ...hook.clientConfig(), url: stranger.url }),
        /x509: certificate signed by unknown authority$/,
      );
      const noPem = Buffer.from('none').toString('base64');
      assert.equal(
        await problem({ ...hook.clientConfig(), caBundle: noPem }),
        'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
      );
      const noCertificate = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString(
        'base64',
      );
      assert.equal(
        await problem({ ...hook.clientConfig(), caBundle: noCertificate }),
        'could not get REST client: unable to load root certificates: no valid certificate authority data seen',
      );
      assert.match(
        await problem({ service: { namespace: 'default', name: 'absent', path: '/p' } }),
        /^failed to call webhook: Post "https:\/\/absent.default.svc:443\/p\?timeout=10s": service "absent" not found$/,
      );
      const { url } = stranger;
      await stranger.close();
      assert.equal(
        await problem({ url }),
        `failed to call webhook: Post "${url}/?timeout=10s": dial tcp ${url.slice('https://'.length)}: connect: connection refused`,
      );
    });

    it('asks at clean paths', async () => {
      for (const [asked, path] of [
        ['/a/b/', '/a/b'],
        ['', '/'],
        ['//c/../d', '/d'],
      ] as const) {
        await register('validating', 'bad', { clientConfig: { ...hook.clientConfig(), url: `${hook.url}${asked}` } });
        await create('paths', {}, '?dryRun=All');
        assert.equal(hook.received.at(-1)!.path, `${path}?timeout=10s`);
        await server.client.delete(made.pop()!);
      }
    });

    it('sends webhooks the timeout of the client, and calls none and stores nothing after that', async () => {
      await register(
        'mutating',
        'bad',
        { timeoutSeconds: 5, failurePolicy: 'Ignore' },
        { timeoutSeconds: 20, failurePolicy: 'Ignore' },
      );
      await create('patient', {}, '?timeout=15s');
      const [first, second] = hook.received
        .slice(-2)
        .map(({ path }) => Number(/^\/bad\?timeout=(\d+)s$/.exec(path)![1])) as [number, number];
      assert.equal(first, 5);
      assert.ok(second > 5 && second <= 15, String(second));
      hook.reviews.length = 0;
      const givenUp = new Promise<void>((resolve) => hook.misbehave((to) => to.on('close', resolve)));
      assert.equal((await create('impatient', {}, '?timeout=1s')).status, 504);
      assert.equal(hook.received.at(-1)!.path, '/bad?timeout=1s');
      await givenUp;
      assert.equal((await server.client.get(`${maps}/impatient`)).status, 404);
      assert.equal(hook.reviews.length, 1);
    });

    it('refuses patches that do not apply, whatever the failure policy', async () => {
      await register('mutating', 'bad', { failurePolicy: 'Ignore' });
      for (const patch of [
        [{ op: 'remove', path: '/nowhere' }],
        Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data', value: {} })),
      ]) {
        hook.respond(() => patchResponse(...patch));
        assert.equal((await create('f')).status, 500);
      }
    });

    for (const [what, patch, problem] of [
      [
        'cannot be read',
        { patchType: 'JSONPatch', patch: Buffer.from('{').toString('base64') },
        /^received undecodable patch in webhook response: /,
      ],
      [
        'is of an unknown type',
        { patchType: 'Merge', patch: Buffer.from('[{"op":"add","path":"/data","value":{}}]').toString('base64') },
        /^unsupported patch type "Merge"$/,
      ],
    ] as const) {
      it(`counts a patch that ${what} as a call that failed`, async () => {
        hook.respond(() => patch);
        await register('mutating', 'bad', {});
        const { status, json } = await create('f');
        assert.ok(status === 500 && json.message.startsWith(call), json.message);
        assert.match(json.message.slice(call.length), problem);
        await server.client.delete(made.pop()!);
        await register('mutating', 'bad', { failurePolicy: 'Ignore' });
        assert.equal((await create('f')).status, 201);
        await server.client.delete(`${maps}/f`);
      });
    }

    it('counts what webhooks do', async () => {
      const text = (await server.client.get('/metrics')).body.toString();
      for (const name of ['admission_duration_seconds_count', 'rejection_count', 'fail_open_count', 'request_total'])
        assert.match(text, new RegExp(`^apiserver_admission_webhook_${name}\\{.*"w0\\.bad\\.example\\.com"`, 'm'));
    });
  });
});
