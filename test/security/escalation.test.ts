/** Users who may write roles and bindings grant no one, themselves included, what they don't have. */
import assert from 'node:assert/strict';
import type { Answer, ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { expectRefusal } from './expect-refusal.ts';

const rbac = '/apis/rbac.authorization.k8s.io';
const forbidden = { code: 403, reason: 'Forbidden' };
const group = 'rbac.authorization.k8s.io';
const rule = (verbs: string[], resources: string[], apiGroups = ['']): object => ({ verbs, resources, apiGroups });
const all = { verbs: ['*'], resources: ['*'], apiGroups: ['*'] };
const mallory = [{ kind: 'User', name: 'mallory', apiGroup: group }];

describe('escalation', () => {
  let server: TestServer;
  let admin: ApiClient;
  before(async () => {
    server = await startTestServer();
    admin = server.client;
    for (const name of ['mine', 'other']) await admin.post('/api/v1/namespaces', { metadata: { name } });
    const editor = [
      rule(
        ['get', 'create', 'update', 'patch', 'delete'],
        ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        [group],
      ),
      rule(['get'], ['configmaps']),
    ];
    await made(admin.post(`${rbac}/v1/clusterroles`, { metadata: { name: 'policy-editor' }, rules: editor }));
    await made(
      admin.post(`${rbac}/v1/clusterrolebindings`, {
        metadata: { name: 'policy-editors' },
        roleRef: { kind: 'ClusterRole', name: 'policy-editor', apiGroup: group },
        subjects: mallory,
      }),
    );
    await made(
      admin.post(`${rbac}/v1/namespaces/mine/roles`, {
        metadata: { name: 'same' },
        rules: [rule(['get'], ['configmaps'])],
      }),
    );
    await made(
      admin.post(`${rbac}/v1/namespaces/mine/rolebindings`, {
        metadata: { name: 'same' },
        roleRef: { kind: 'Role', name: 'same', apiGroup: group },
        subjects: mallory,
      }),
    );
    await settled();
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });
  const as = (name: string) => ({ headers: { 'impersonate-user': name, 'impersonate-group': 'system:authenticated' } });
  const send = (method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Answer> =>
    admin.send(method, path, { ...as('mallory'), body, contentType });
  const made = async (answer: Promise<Answer>): Promise<void> =>
    assert.equal((await answer).status, 201, (await answer).body.toString());
  const settled = (): Promise<boolean> =>
    server.running.server.storeOf('rolebindings.rbac.authorization.k8s.io').cacher.fresh();
  const roles = `${rbac}/v1/namespaces/mine/roles`;
  const bindings = `${rbac}/v1/namespaces/mine/rolebindings`;
  const clusterRoles = `${rbac}/v1/clusterroles`;

  it('does not come of creating roles, in whatever version', async () => {
    for (const version of ['v1', 'v1beta1']) {
      for (const [i, rules] of [
        [all],
        [rule(['get'], ['secrets'])],
        [rule(['*'], ['configmaps'])],
        [rule(['get'], ['*'])],
        [rule(['get'], ['configmaps'], ['*'])],
        [rule(['escalate', 'bind'], ['clusterroles'], [group])],
        [rule(['impersonate'], ['users'])],
      ].entries()) {
        expectRefusal(
          await send('POST', `${rbac}/${version}/namespaces/mine/roles`, { metadata: { name: `new-${i}` }, rules }),
          forbidden,
        );
        expectRefusal(
          await send('POST', `${rbac}/${version}/clusterroles`, { metadata: { name: `new-${i}` }, rules }),
          forbidden,
        );
        expectRefusal(
          await send('PUT', `${rbac}/${version}/clusterroles/new-${i}`, { metadata: { name: `new-${i}` }, rules }),
          forbidden,
        );
      }
      expectRefusal(
        await send('POST', `${rbac}/${version}/clusterroles`, {
          metadata: { name: 'urls' },
          rules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
        }),
        forbidden,
      );
      expectRefusal(
        await send('POST', `${rbac}/${version}/namespaces/mine/roles?dryRun=All`, {
          metadata: { generateName: 'x' },
          rules: [all],
        }),
        forbidden,
      );
    }
    await made(send('POST', roles, { metadata: { name: 'held' }, rules: [rule(['get'], ['configmaps'])] }));
  });

  it('does not come of changing roles, in whatever way', async () => {
    const same = `${roles}/same`;
    const role = (await admin.get(same)).json;
    expectRefusal(await send('PUT', same, { ...role, rules: [all] }), forbidden);
    expectRefusal(await send('PATCH', same, { rules: [all] }, 'application/merge-patch+json'), forbidden);
    expectRefusal(await send('PATCH', same, { rules: [all] }, 'application/strategic-merge-patch+json'), forbidden);
    expectRefusal(
      await send(
        'PATCH',
        same,
        [{ op: 'add', path: '/rules/0/resources/-', value: 'secrets' }],
        'application/json-patch+json',
      ),
      forbidden,
    );
    expectRefusal(
      await send(
        'PATCH',
        same,
        [{ op: 'replace', path: '/rules/0/verbs/0', value: '*' }],
        'application/json-patch+json',
      ),
      forbidden,
    );
    expectRefusal(
      await send(
        'PATCH',
        `${clusterRoles}/policy-editor`,
        [{ op: 'add', path: '/rules/-', value: all }],
        'application/json-patch+json',
      ),
      forbidden,
    );
    assert.deepEqual((await admin.get(same)).json.rules, role.rules);
    assert.equal(
      (await send('PATCH', same, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json')).status,
      200,
    );
  });

  it('does not come of a role that gathers others', async () => {
    const gathering = {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }] },
    };
    const message = /must have cluster-admin privileges to use the aggregationRule$/;
    expectRefusal(await send('POST', clusterRoles, { metadata: { name: 'gather' }, rules: [], ...gathering }), {
      ...forbidden,
      message,
    });
    expectRefusal(await send('PATCH', `${clusterRoles}/policy-editor`, gathering, 'application/merge-patch+json'), {
      ...forbidden,
      message,
    });
    // Rules that would be gathered must be held, too.
    expectRefusal(
      await send('POST', clusterRoles, {
        metadata: { name: 'part', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
        rules: [rule(['get'], ['secrets'])],
      }),
      forbidden,
    );
  });

  it('does not come of bindings', async () => {
    const binding = (kind: string, name: string, subjects: object[] = mallory): object => ({
      metadata: { name: `to-${name}` },
      roleRef: { kind, name, apiGroup: group },
      subjects,
    });
    for (const [kind, name] of [
      ['ClusterRole', 'cluster-admin'],
      ['ClusterRole', 'admin'],
      ['ClusterRole', 'view'],
      ['ClusterRole', 'system:node'],
    ] as const) {
      for (const subjects of [mallory, [{ kind: 'ServiceAccount', name: 'default', namespace: 'mine' }], []]) {
        expectRefusal(await send('POST', bindings, binding(kind, name, subjects)), forbidden);
        expectRefusal(await send('POST', `${rbac}/v1/clusterrolebindings`, binding(kind, name, subjects)), forbidden);
        expectRefusal(await send('PUT', `${bindings}/to-${name}`, binding(kind, name, subjects)), forbidden);
      }
    }
    // A role that is not there yet could become anything.
    expectRefusal(await send('POST', bindings, binding('Role', 'none')), { code: 404, reason: 'NotFound' });
    expectRefusal(await send('POST', bindings, binding('ClusterRole', 'same')), { code: 404, reason: 'NotFound' });
    expectRefusal(await send('POST', `${rbac}/v1/namespaces/other/rolebindings`, binding('Role', 'same')), {
      code: 404,
      reason: 'NotFound',
    });
    await made(send('POST', bindings, { ...binding('Role', 'same'), metadata: { name: 'shared' } }));
  });

  it('does not come of bindings that others made', async () => {
    await made(
      admin.post(bindings, {
        metadata: { name: 'admins' },
        roleRef: { kind: 'ClusterRole', name: 'admin', apiGroup: group },
        subjects: [],
      }),
    );
    expectRefusal(
      await send('PATCH', `${bindings}/admins`, { subjects: mallory }, 'application/merge-patch+json'),
      forbidden,
    );
    const { json } = await admin.get(`${bindings}/shared`);
    expectRefusal(
      await send('PUT', `${bindings}/shared`, {
        ...json,
        roleRef: { kind: 'ClusterRole', name: 'cluster-admin', apiGroup: group },
      }),
      forbidden,
    );
    assert.equal(
      (
        await send('PUT', `${bindings}/shared`, {
          ...json,
          roleRef: { kind: 'ClusterRole', name: 'policy-editor', apiGroup: group },
        })
      ).status,
      422,
    );
  });

  it('does not come of what one has elsewhere', async () => {
    await made(
      admin.post(`${rbac}/v1/namespaces/other/rolebindings`, {
        metadata: { name: 'm' },
        roleRef: { kind: 'ClusterRole', name: 'cluster-admin', apiGroup: group },
        subjects: mallory,
      }),
    );
    await settled();
    expectRefusal(
      await send('POST', roles, { metadata: { name: 'wide' }, rules: [rule(['get'], ['secrets'])] }),
      forbidden,
    );
    expectRefusal(
      await send('POST', clusterRoles, { metadata: { name: 'wide' }, rules: [rule(['get'], ['secrets'])] }),
      forbidden,
    );
    await made(
      send('POST', `${rbac}/v1/namespaces/other/roles`, {
        metadata: { name: 'wide' },
        rules: [rule(['get'], ['secrets'])],
      }),
    );
  });

  it('is found out in little time, also in rules of billions of combinations', async () => {
    const words = Array.from({ length: 5000 }, (_, i) => `w${i}`);
    const huge = { ...rule(words, words, words), resourceNames: words };
    const body = { metadata: { name: 'huge' }, rules: [huge] };
    expectRefusal(await send('POST', roles, body), {
      ...forbidden,
      message: /cannot be compared with those currently held: more than 50000 combinations/,
    });
    // Who holds everything may store it; every server then has it in its index, and answers on.
    await made(send('POST', `${rbac}/v1/namespaces/other/roles`, body));
    await made(
      send('POST', `${rbac}/v1/namespaces/other/rolebindings`, {
        metadata: { name: 'huge' },
        roleRef: { kind: 'Role', name: 'huge', apiGroup: group },
        subjects: [{ kind: 'User', name: 'holder', apiGroup: group }],
      }),
    );
    await settled();
    const review = async (resource: string): Promise<boolean> =>
      (
        await admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
          spec: {
            user: 'holder',
            resourceAttributes: { namespace: 'other', verb: 'w1', group: 'w4999', resource, name: 'w3' },
          },
        })
      ).json.status.allowed;
    assert.deepEqual([await review('w2'), await review('none')], [true, false]);
    // Long questions are answered, and leave nothing behind.
    for (let i = 0; i < 20; i++)
      expectRefusal(
        await admin.send('GET', `/api/v1/namespaces/mine/${'x'.repeat(60_000)}${i}`, as('mallory')),
        forbidden,
      );
  });

  it('is found out in little time, also with thousands of rules', async () => {
    const named = (start: string, count: number): object[] =>
      Array.from({ length: count }, (_, i) => ({ ...rule(['get'], ['pods']), resourceNames: [`${start}${i}`] }));
    await made(admin.post(roles, { metadata: { name: 'thousands' }, rules: named('x', 15_000) }));
    await made(
      admin.post(bindings, {
        metadata: { name: 'thousands' },
        roleRef: { kind: 'Role', name: 'thousands', apiGroup: group },
        subjects: mallory,
      }),
    );
    await settled();
    expectRefusal(await send('POST', roles, { metadata: { name: 'more' }, rules: named('y', 5000) }), {
      ...forbidden,
      message: /cannot be compared with those currently held: more than 2000000 comparisons/,
    });
    const { status } = (
      await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'mine' } })
    ).json;
    assert.equal(status.incomplete, true);
    assert.match(status.evaluationError, /only \d+ of \d+ rules are listed/);
    assert.equal((await admin.delete(`${bindings}/thousands`)).status, 200);
  });

  it('does not come of writing again what was there before', async () => {
    await made(admin.post(roles, { metadata: { name: 'wide', finalizers: ['example.com/x'] }, rules: [all] }));
    const { json } = await admin.get(`${roles}/wide`);
    expectRefusal(
      await send('PUT', `${roles}/wide`, { ...json, metadata: { ...json.metadata, labels: { a: 'b' } } }),
      forbidden,
    );
    // What a garbage collector does is all that is left.
    assert.equal(
      (await send('PATCH', `${roles}/wide`, { metadata: { finalizers: null } }, 'application/merge-patch+json')).status,
      200,
    );
  });

  it('is for those who were given the verbs for it', async () => {
    const escalator = [
      rule(['escalate'], ['roles'], [group]),
      { ...rule(['bind'], ['clusterroles'], [group]), resourceNames: ['view'] },
    ];
    await made(admin.post(clusterRoles, { metadata: { name: 'escalator' }, rules: escalator }));
    const trusted = [{ kind: 'User', name: 'trusted', apiGroup: group }];
    for (const name of ['escalator', 'policy-editor'])
      await made(
        admin.post(bindings, {
          metadata: { name: `trusted-${name}` },
          roleRef: { kind: 'ClusterRole', name, apiGroup: group },
          subjects: trusted,
        }),
      );
    await settled();
    const bind = (name: string): Promise<Answer> =>
      admin.send('POST', bindings, {
        ...as('trusted'),
        body: {
          metadata: { name: `trusted-to-${name}` },
          roleRef: { kind: 'ClusterRole', name, apiGroup: group },
          subjects: trusted,
        },
      });
    await made(admin.send('POST', roles, { ...as('trusted'), body: { metadata: { name: 'anything' }, rules: [all] } }));
    await made(bind('view'));
    expectRefusal(await bind('edit'), forbidden);
  });

  it('is for those who were given the verb for one name, where the path has that name', async () => {
    await made(
      admin.post(clusterRoles, {
        metadata: { name: 'one-escalator' },
        rules: [{ ...rule(['escalate'], ['roles'], [group]), resourceNames: ['one'] }],
      }),
    );
    for (const name of ['one-escalator', 'policy-editor'])
      await made(
        admin.post(bindings, {
          metadata: { name: `named-${name}` },
          roleRef: { kind: 'ClusterRole', name, apiGroup: group },
          subjects: [{ kind: 'User', name: 'named', apiGroup: group }],
        }),
      );
    await settled();
    const write = (method: string, url: string, name: string): Promise<Answer> =>
      admin.send(method, url, { ...as('named'), body: { metadata: { name }, rules: [all] } });
    expectRefusal(await write('POST', roles, 'one'), forbidden);
    expectRefusal(await write('PUT', `${roles}/two`, 'two'), forbidden);
    expectRefusal(await write('PUT', `${roles}/one`, 'two'), { code: 400, reason: 'BadRequest' });
    await made(write('PUT', `${roles}/one`, 'one'));
  });
});
