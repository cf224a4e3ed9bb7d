/** Who may make credentials, or holds those of a node, gets no further by them. */
import assert from 'node:assert/strict';
import type { JsonName } from '@peculiar/x509';
import { certificateRequest, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import type { Answer, ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { bmpValue, derValue, T61_STRING, UTF8_STRING } from './der-name.ts';
import { expectRefusal } from './expect-refusal.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;
const forbidden = { code: 403, reason: 'Forbidden' };
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** What each user may do in the namespace `mine`, and besides everywhere. */
const grants: Readonly<Record<string, { readonly mine?: readonly object[]; readonly everywhere?: readonly object[] }>> =
  {
    minter: {
      mine: [
        { apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token', 'secrets', 'pods'], verbs: ['*'] },
      ],
    },
    requester: {
      everywhere: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: [
            'certificatesigningrequests',
            'certificatesigningrequests/approval',
            'certificatesigningrequests/status',
          ],
          verbs: ['*'],
        },
      ],
    },
    editor: { mine: [{ apiGroups: [group], resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] }] },
  };

describe('escalation by credentials', () => {
  let server: TestServer;
  let admin: ApiClient;

  before(async () => {
    server = await startTestServer({
      args: [
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
    admin = server.client;
    for (const name of ['mine', 'other']) await made(admin.post('/api/v1/namespaces', { metadata: { name } }));
    for (const [user, { mine, everywhere }] of Object.entries(grants)) {
      const subjects = [{ kind: 'User', name: user, apiGroup: group }];
      if (mine !== undefined) {
        await made(admin.post(`${rbac}/namespaces/mine/roles`, { metadata: { name: user }, rules: mine }));
        await made(
          admin.post(`${rbac}/namespaces/mine/rolebindings`, {
            metadata: { name: user },
            roleRef: { kind: 'Role', name: user, apiGroup: group },
            subjects,
          }),
        );
      }
      if (everywhere !== undefined) {
        await made(admin.post(`${rbac}/clusterroles`, { metadata: { name: user }, rules: everywhere }));
        await made(
          admin.post(`${rbac}/clusterrolebindings`, {
            metadata: { name: user },
            roleRef: { kind: 'ClusterRole', name: user, apiGroup: group },
            subjects,
          }),
        );
      }
    }
    for (const namespace of ['mine', 'other']) {
      await made(admin.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'robot' } }));
      await made(
        admin.post(`/api/v1/namespaces/${namespace}/secrets`, {
          metadata: { name: 'secret' },
          stringData: { a: namespace },
        }),
      );
    }
    for (const name of ['n1', 'n2']) await made(admin.post('/api/v1/nodes', { metadata: { name } }));
    for (const [name, nodeName] of [
      ['here', 'n1'],
      ['there', 'n2'],
    ])
      await made(
        admin.post('/api/v1/namespaces/mine/pods', {
          metadata: { name },
          spec: { nodeName, serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
        }),
      );
    for (const resource of ['clusterrolebindings', 'rolebindings'])
      await server.running.server.storeOf(`${resource}.${group}`).cacher.fresh();
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const made = async (answer: Promise<Answer>): Promise<void> =>
    assert.equal((await answer).status, 201, (await answer).body.toString());
  const as = (
    user: string,
    method: string,
    url: string,
    body?: unknown,
    groups = 'system:authenticated',
    contentType = 'application/json',
  ): Promise<Answer> =>
    admin.send(method, url, { headers: { 'impersonate-user': user, 'impersonate-group': groups }, body, contentType });
  const withToken = (token: string, url: string): Promise<Answer> =>
    admin.send('GET', url, { headers: { authorization: `Bearer ${token}` } });

  describe('tokens of service accounts', () => {
    const request = { spec: { expirationSeconds: 600 } };

    it("are for accounts of one's own namespace, and have the account's rights alone", async () => {
      for (const url of [
        '/api/v1/namespaces/kube-system/serviceaccounts/default/token',
        '/api/v1/namespaces/other/serviceaccounts/robot/token',
      ])
        expectRefusal(await as('minter', 'POST', url, request), forbidden);
      const issued = await as('minter', 'POST', '/api/v1/namespaces/mine/serviceaccounts/robot/token', request);
      assert.equal(issued.status, 201);
      const { token } = issued.json.status as { token: string };
      for (const url of ['/api/v1/namespaces/mine/secrets/secret', '/api/v1/namespaces/other/secrets', '/api/v1/nodes'])
        expectRefusal(await withToken(token, url), {
          ...forbidden,
          message: /User "system:serviceaccount:mine:robot" cannot /,
        });
    });

    it('are not made by who may only create accounts', async () => {
      expectRefusal(
        await as('editor', 'POST', '/api/v1/namespaces/mine/serviceaccounts/robot/token', request),
        forbidden,
      );
      for (const namespace of ['kube-system', 'other']) {
        const { status } = await as('minter', 'POST', '/api/v1/namespaces/mine/serviceaccounts/robot/token', {
          ...request,
          metadata: { namespace },
        });
        assert.equal(status, 400, namespace);
      }
    });

    it('are not what one writes into a secret oneself', async () => {
      const { json: other } = await admin.get('/api/v1/namespaces/other/serviceaccounts/robot');
      for (const [i, token] of [
        'chosen',
        `a.${Buffer.from('{"sub":"system:serviceaccount:other:robot"}').toString('base64url')}.`,
      ].entries()) {
        const annotations = {
          'kubernetes.io/service-account.name': 'robot',
          'kubernetes.io/service-account.uid': other.metadata.uid as string,
        };
        const secret = await as('minter', 'POST', '/api/v1/namespaces/mine/secrets', {
          metadata: { name: `token-${i}`, annotations },
          type: 'kubernetes.io/service-account-token',
          stringData: { token, namespace: 'other' },
        });
        assert.equal(secret.status, 201, secret.body.toString());
        assert.equal((await withToken(token, '/api/v1/namespaces/mine/secrets')).status, 401);
      }
      expectRefusal(
        await as('minter', 'POST', '/api/v1/namespaces/mine/secrets', {
          metadata: { name: 'nobody' },
          type: 'kubernetes.io/service-account-token',
        }),
        { code: 422, reason: 'Invalid' },
      );
      // The token of another server of the same name, or of an unknown key, is not valid for being in a secret;
      // bootstrap tokens count in one namespace only.
      await made(
        as('minter', 'POST', '/api/v1/namespaces/mine/secrets', {
          metadata: { name: 'bootstrap-token-abcdef' },
          type: 'bootstrap.kubernetes.io/token',
          stringData: {
            'token-id': 'abcdef',
            'token-secret': '0123456789abcdef',
            'usage-bootstrap-authentication': 'true',
            'auth-extra-groups': 'system:bootstrappers:x',
          },
        }),
      );
      assert.equal((await withToken('abcdef.0123456789abcdef', '/api/v1/nodes')).status, 401);
    });
  });

  describe('certificates', () => {
    async function csr(name: string | JsonName, wish: object = {}): Promise<object> {
      return {
        request: (await certificateRequest(name)).base64,
        usages: ['client auth'],
        signerName: CLIENT_SIGNER,
        ...wish,
      };
    }
    const url = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

    it('for masters cannot be asked for, however their name is written', async () => {
      const subjects: (string | JsonName)[] = [
        'CN=a,O=system:masters',
        'CN=a,O=x,O=system:masters',
        'CN=a,O=x+O=system:masters',
        'CN=a,2.5.4.10=system:masters',
        [{ O: [derValue(UTF8_STRING, 'system:masters')] }],
        [{ O: [derValue(T61_STRING, 'system:masters')] }],
        [{ O: [bmpValue('system:masters')] }],
        [{ O: ['x', 'system:masters'] }],
      ];
      for (const [i, subject] of subjects.entries()) {
        const answer = await as('requester', 'POST', url, {
          metadata: { name: `masters-${i}` },
          spec: await csr(subject),
        });
        expectRefusal(answer, {
          ...forbidden,
          message: /use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed$/,
        });
      }
      const older = await as('requester', 'POST', '/apis/certificates.k8s.io/v1beta1/certificatesigningrequests', {
        metadata: { name: 'masters-older' },
        spec: await csr('CN=a,O=system:masters'),
      });
      assert.ok(older.status === 403 || older.status === 404, older.body.toString());
      expectRefusal(
        await as('requester', 'PUT', `${url}/masters-put`, {
          metadata: { name: 'masters-put' },
          spec: await csr('CN=a,O=system:masters'),
        }),
        { code: 404, reason: 'NotFound' },
      );
    });

    it('say who asked, whatever the asker says', async () => {
      const spec = await csr('CN=a,O=x', {
        username: 'system:admin',
        groups: ['system:masters'],
        uid: 'u',
        extra: { a: ['b'] },
      });
      const created = await as('requester', 'POST', url, {
        metadata: { name: 'said' },
        spec,
        status: { certificate: 'eA==', conditions: [{ type: 'Approved', status: 'True' }] },
      });
      assert.equal(created.status, 201, created.body.toString());
      const { username, groups, uid, extra } = created.json.spec;
      assert.deepEqual(
        [username, groups, uid, extra, created.json.status],
        ['requester', ['system:authenticated'], undefined, undefined, {}],
      );
      for (const change of [
        { username: 'system:admin' },
        { groups: ['system:masters'] },
        { request: ((await csr('CN=a,O=system:masters')) as { request: string }).request },
        { signerName: 'example.com/x' },
      ]) {
        await as('requester', 'PATCH', `${url}/said`, { spec: change }, undefined, 'application/merge-patch+json');
        assert.deepEqual((await admin.get(`${url}/said`)).json.spec, created.json.spec, JSON.stringify(change));
      }
    });

    it("cannot be approved or signed without the signer's permission", async () => {
      const { json } = await admin.get(`${url}/said`);
      const approved = {
        ...json,
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x', message: 'x' }] },
      };
      expectRefusal(await as('requester', 'PUT', `${url}/said/approval`, approved), {
        ...forbidden,
        message: /user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"$/,
      });
      const certificate = Buffer.from((await TestAuthority.create('CN=own')).pem).toString('base64');
      expectRefusal(
        await as('requester', 'PUT', `${url}/said/status`, { ...json, status: { certificate } }),
        forbidden,
      );
      for (const path of ['', '/status'])
        await as(
          'requester',
          'PATCH',
          `${url}/said${path}`,
          { status: approved.status },
          undefined,
          'application/merge-patch+json',
        );
      assert.deepEqual((await admin.get(`${url}/said`)).json.status, {});
    });
  });

  describe('roles', () => {
    const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];

    it('do not grow in any version of their group, nor in any format', async () => {
      const { versions } = (await admin.get(`/apis/${group}`)).json as { versions: { version: string }[] };
      for (const { version } of versions) {
        const roles = `/apis/${group}/${version}/namespaces/mine/roles`;
        expectRefusal(await as('editor', 'POST', roles, { metadata: { name: 'more' }, rules: all }), forbidden);
        for (const type of ['merge-patch', 'strategic-merge-patch'])
          expectRefusal(
            await as('editor', 'PATCH', `${roles}/editor`, { rules: all }, undefined, `application/${type}+json`),
            forbidden,
          );
        expectRefusal(
          await as(
            'editor',
            'PATCH',
            `${roles}/editor`,
            [{ op: 'replace', path: '/rules', value: all }],
            undefined,
            'application/json-patch+json',
          ),
          forbidden,
        );
        expectRefusal(
          await as(
            'editor',
            'POST',
            roles,
            'metadata: {name: more}\nrules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]\n',
            undefined,
            'application/yaml',
          ),
          forbidden,
        );
        for (const name of ['cluster-admin', 'admin', 'system:controller:generic-garbage-collector']) {
          expectRefusal(
            await as('editor', 'POST', `/apis/${group}/${version}/namespaces/mine/rolebindings`, {
              metadata: { name: 'more' },
              roleRef: { kind: 'ClusterRole', name, apiGroup: group },
              subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'mine' }],
            }),
            forbidden,
          );
        }
      }
    });

    it('are not borrowed by acting as who has them', async () => {
      const { token } = (await as('minter', 'POST', '/api/v1/namespaces/mine/serviceaccounts/robot/token', {})).json
        .status as { token: string };
      for (const user of [
        'admin',
        'system:admin',
        'system:serviceaccount:other:robot',
        'system:serviceaccount:kube-system:default',
        'system:node:n1',
      ]) {
        const answer = await admin.send('GET', '/api/v1/nodes', {
          headers: { authorization: `Bearer ${token}`, 'impersonate-user': user },
        });
        expectRefusal(answer, { ...forbidden, message: /cannot impersonate resource/ });
      }
    });
  });

  describe('a node', () => {
    const n1 = (method: string, url: string, body?: unknown, contentType?: string): Promise<Answer> =>
      as('system:node:n1', method, url, body, 'system:nodes', contentType);
    const merge = 'application/merge-patch+json';

    it('writes no other node', async () => {
      assert.equal((await n1('PATCH', '/api/v1/nodes/n1/status', { status: { phase: 'Running' } }, merge)).status, 200);
      for (const path of ['/api/v1/nodes/n2', '/api/v1/nodes/n2/status'])
        expectRefusal(await n1('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge), forbidden);
      expectRefusal(await n1('DELETE', '/api/v1/nodes/n2'), forbidden);
      expectRefusal(await n1('POST', '/api/v1/nodes', { metadata: { name: 'n3' } }), forbidden);
      expectRefusal(
        await n1(
          'PATCH',
          '/api/v1/nodes/n1',
          { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } },
          merge,
        ),
        forbidden,
      );
      expectRefusal(
        await n1(
          'PATCH',
          '/api/v1/nodes/n1/status',
          { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } },
          merge,
        ),
        forbidden,
      );
    });

    it('reads no secret and mints no token that its pods do not need', async () => {
      for (const path of [
        '/api/v1/secrets',
        '/api/v1/namespaces/mine/secrets',
        '/api/v1/namespaces/mine/secrets/secret',
        '/api/v1/namespaces/other/secrets/secret',
        '/api/v1/namespaces/mine/secrets?fieldSelector=metadata.name%3Dsecret',
      ])
        expectRefusal(await n1('GET', path), forbidden);
      const token = (pod: { name: string; uid: string } | undefined, account = 'mine/serviceaccounts/robot') =>
        n1('POST', `/api/v1/namespaces/${account}/token`, {
          spec: pod === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...pod } },
        });
      const [here, there] = await Promise.all(
        ['here', 'there'].map(async (name) => ({
          name,
          uid: (await admin.get(`/api/v1/namespaces/mine/pods/${name}`)).json.metadata.uid as string,
        })),
      );
      assert.equal((await token(here)).status, 201);
      for (const answer of [
        await token(there),
        await token(undefined),
        await token(here, 'other/serviceaccounts/robot'),
      ])
        expectRefusal(answer, forbidden);
      // A pod that names the secret, made by the node itself, would open it.
      expectRefusal(
        await n1('POST', '/api/v1/namespaces/mine/pods', {
          metadata: { name: 'spy' },
          spec: {
            nodeName: 'n1',
            containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'secret' } }] }],
          },
        }),
        forbidden,
      );
    });

    it('is none by an odd name or a group alone', async () => {
      for (const [user, groups] of [
        ['system:node:', 'system:nodes'],
        ['n1', 'system:nodes'],
        ['system:node:n1', 'system:authenticated'],
        ['system:node:N1', 'system:nodes'],
        ['System:node:n1', 'system:nodes'],
      ] as const) {
        const { status } = await as(
          user,
          'PATCH',
          '/api/v1/nodes/n1/status',
          { status: { phase: 'Pending' } },
          groups,
          merge,
        );
        assert.ok(status >= 400, `${user} ${groups}: ${status}`);
      }
    });
  });
});
