/**
 * Wide rights in one namespace reach nothing of the cluster and of other namespaces (class of CVE-2019-11247), for
 * everything that discovery names.
 */
import assert from 'node:assert/strict';
import type { Answer } from '../fixtures/api-client.ts';
import { LOW_TOKEN, MARK, showsMark, startWithLowUser, type LowUserSetting } from './low-user.ts';
import { answerTo, head } from './raw-connection.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;

interface Served {
  /** `/api/v1` or `/apis/group/version`. */
  readonly root: string;
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Reviews of the caller's own rights and similar ones, which every user may make. */
const OPEN_TO_ALL = /\/(selfsubjectaccessreviews|selfsubjectrulesreviews|selfsubjectreviews)$/;

describe('wide rights in one namespace', function () {
  this.timeout(60_000);
  let setting: LowUserSetting;
  let served: readonly Served[];

  before(async () => {
    setting = await startWithLowUser();
    const { client } = setting.server;
    const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    assert.equal(
      (await client.post(`${rbac}/namespaces/mine/roles`, { metadata: { name: 'everything' }, rules: all })).status,
      201,
    );
    const binding = {
      metadata: { name: 'everything' },
      roleRef: { kind: 'Role', name: 'everything', apiGroup: group },
      subjects: [{ kind: 'User', name: 'low', apiGroup: group }],
    };
    assert.equal((await client.post(`${rbac}/namespaces/mine/rolebindings`, binding)).status, 201);
    await setting.server.running.server.storeOf(`rolebindings.${group}`).cacher.fresh();
    served = await discovered(setting);
    assert.ok(served.filter(({ namespaced }) => !namespaced).length > 30, `${served.length} resources`);
  });
  after(async () => {
    await setting.stop();
    assert.deepEqual(setting.server.errors, []);
  });

  /** Paths that might lead to a resource: its collection, an object, and everything below. */
  const tails = (name: string): string[] =>
    name.includes('/') ? [name.replace('/', '/hidden/')] : [name, `${name}/hidden`];
  const forbidden = ({ status, body }: Answer, what: string): void => {
    assert.equal(status, 403, `${what}: ${status} ${body.toString().slice(0, 300)}`);
    assert.ok(!showsMark(body), what);
  };

  it('are wide there', async () => {
    assert.ok(showsMark((await setting.low.get('/api/v1/namespaces/mine/secrets')).body));
    assert.equal(
      (await setting.low.post('/api/v1/namespaces/mine/configmaps', { metadata: { name: 'own' } })).status,
      201,
    );
  });

  it('reach nothing cluster-wide by its own path', async () => {
    for (const { root, name, namespaced } of served) {
      for (const tail of tails(name)) {
        if (namespaced && tail !== name) continue;
        if (OPEN_TO_ALL.test(`/${tail}`)) continue;
        for (const method of ['GET', 'DELETE'] as const)
          forbidden(await setting.low.send(method, `${root}/${tail}`), `${method} ${root}/${tail}`);
        forbidden(await setting.low.get(`${root}/watch/${tail}`), `${root}/watch/${tail}`);
      }
    }
  });

  it('reach nothing cluster-wide by a path of the namespace', async () => {
    const before = await clusterState();
    for (const { root, name, namespaced } of served) {
      if (namespaced) continue;
      for (const tail of tails(name)) {
        for (const [method, body, contentType] of [
          ['GET'],
          ['POST', '{}'],
          ['PUT', '{}'],
          ['PATCH', '{}', 'application/merge-patch+json'],
          ['DELETE'],
        ] as const) {
          const url = `${root}/namespaces/mine/${tail}`;
          const { status, body: answered } = await setting.low.send(method, url, { body, contentType });
          assert.ok(
            status === 404 || status === 403 || status === 405,
            `${method} ${url}: ${status} ${answered.toString().slice(0, 300)}`,
          );
          assert.ok(!showsMark(answered), url);
        }
      }
    }
    assert.deepEqual(await clusterState(), before);
  });

  it('reach no other namespace, by whatever way to it', async () => {
    for (const { root, name, namespaced } of served) {
      if (!namespaced) continue;
      for (const tail of tails(name))
        forbidden(await setting.low.get(`${root}/namespaces/other/${tail}`), `${root}/namespaces/other/${tail}`);
      if (name.includes('/')) continue;
      for (const target of [
        `${root}/namespaces/mine/../other/${name}`,
        `${root}/namespaces/mine%2f..%2fother/${name}`,
        `${root}/namespaces/mine/namespaces/other/${name}`,
        `${root}/${name}?namespace=mine`,
        `${root}/namespaces//${name}`,
      ]) {
        const { status, body } = await raw(target);
        assert.ok(status >= 400, `${target}: ${status}`);
        assert.ok(!showsMark(body), target);
      }
    }
  });

  it('do not let objects say that they belong elsewhere', async () => {
    for (const namespace of ['other', '', 'kube-system']) {
      const { status, json } = await setting.low.post('/api/v1/namespaces/mine/configmaps', {
        metadata: { name: 'elsewhere', namespace },
      });
      if (namespace === '') assert.deepEqual([status, json.metadata.namespace], [201, 'mine']);
      else assert.equal(status, 400, JSON.stringify(json));
    }
    const moved = await setting.low.patch('/api/v1/namespaces/mine/configmaps/own', 'merge', {
      metadata: { namespace: 'other' },
    });
    assert.equal(moved.status, 400, moved.body.toString());
    const renamed = await setting.low.patch('/api/v1/namespaces/mine/configmaps/own', 'json', [
      { op: 'replace', path: '/metadata/name', value: 'hidden' },
    ]);
    assert.ok(renamed.status >= 400, renamed.body.toString());
    assert.equal((await setting.server.client.get('/api/v1/namespaces/other/configmaps/hidden')).json.data.a, MARK);
  });

  /** Identity and version of what is there of kinds without namespace. */
  async function clusterState(): Promise<string[]> {
    const kinds = [
      '/api/v1/namespaces',
      '/api/v1/nodes',
      '/api/v1/persistentvolumes',
      `${rbac}/clusterroles`,
      `${rbac}/clusterrolebindings`,
      '/apis/scheduling.k8s.io/v1/priorityclasses',
    ];
    const lists = await Promise.all(
      kinds.map(
        async (url) =>
          (await setting.server.client.get(url)).json.items as { metadata: { uid: string; resourceVersion: string } }[],
      ),
    );
    return lists.flat().map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`);
  }

  const raw = (target: string) => answerTo(setting.low.url, head('GET', target, LOW_TOKEN));
});

async function discovered({ server }: LowUserSetting): Promise<Served[]> {
  const groups = (await server.client.get('/apis')).json.groups as { versions: { groupVersion: string }[] }[];
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ];
  const documents = await Promise.all(
    roots.map(async (root) => ({
      root,
      resources: (await server.client.get(root)).json.resources as Omit<Served, 'root'>[],
    })),
  );
  return documents.flatMap(({ root, resources }) =>
    resources.map(({ name, namespaced, verbs }) => ({ root, name, namespaced, verbs })),
  );
}
