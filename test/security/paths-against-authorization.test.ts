/** What authorization decides by is what is then done, however a path is written. */
import assert from 'node:assert/strict';
import { LOW_TOKEN, showsMark, startWithLowUser, type LowUserSetting } from './low-user.ts';
import { Http2Connection } from './http2-connection.ts';
import { answerTo, head } from './raw-connection.ts';

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'get',
  'Get',
  'LIST',
  'WATCH',
  'CONNECT-ISH',
] as const;
const mine = '/api/v1/namespaces/mine/configmaps';

/** Ways towards what the low user may not see, past what it may. */
const targets: readonly string[] = [
  '/api/v1/namespaces/mine/secrets',
  '/api/v1/namespaces/mine/secrets/hidden',
  '/api/v1/secrets',
  '/api/v1/configmaps',
  '/api/v1/namespaces/other/configmaps/hidden',
  // A segment that is decoded by one and not by another.
  '/api/v1/namespaces/%6fther/configmaps',
  '/api/v1/namespaces/other/%63onfigmaps',
  '/%61pi/v1/namespaces/other/configmaps',
  '/api/v1/namespaces/mine%2f..%2fother/configmaps',
  '/api/v1/namespaces/mine/configmaps%2f..%2fsecrets',
  '/api/v1/namespaces/mine%00/secrets',
  '/api/v1/namespaces/mine/configmaps/%2e%2e/secrets',
  '/api/v1/namespaces/mine/configmaps;/../secrets',
  '/api/v1/namespaces/mine%2523/secrets',
  '/api/v1/namespaces/mine/configmaps/..%252fsecrets',
  '/api/v1/namespaces/mine%3f/secrets',
  '/api/v1/namespaces/mine%23/secrets',
  // Steps, doubled and missing slashes.
  `${mine}/../secrets`,
  `${mine}/../../other/configmaps`,
  `${mine}/./../secrets`,
  '//api/v1/secrets',
  '/api/v1//secrets',
  '/api/v1/namespaces//secrets',
  '/api//v1/secrets',
  '/./api/v1/secrets',
  '/healthz/../api/v1/secrets',
  '/healthz/%2e%2e/api/v1/secrets',
  `${mine}\\..\\secrets`,
  // The old form of watches, and queries that change the verb.
  '/api/v1/watch/secrets',
  '/api/v1/watch/namespaces/mine/secrets',
  '/api/v1/watch/namespaces/other/configmaps',
  '/api/v1/watch/namespaces/mine/secrets/hidden',
  '/api/v1/namespaces/mine/secrets?watch',
  '/api/v1/namespaces/mine/secrets?watch=0&watch=1',
  '/api/v1/watch/watch/secrets',
  '/api/v1/namespaces/mine/watch/secrets',
  // Something cluster-wide by a path of a namespace in which one has a role, and the other way round (class of
  // CVE-2019-11247).
  '/api/v1/namespaces/mine/nodes',
  '/api/v1/namespaces/mine/namespaces',
  '/api/v1/namespaces/mine/persistentvolumes',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/mine/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/mine/clusterrolebindings/cluster-admin',
  '/api/v1/namespaces/mine/namespaces/other/configmaps',
  '/api/v1/namespaces/mine/namespaces/other/secrets/hidden',
  // One resource's name as another's prefix (class of CVE-2022-3162).
  '/api/v1/namespaces/mine/configmaps?fieldSelector=metadata.namespace%3Dother',
  '/api/v1/namespaces/mi',
  '/api/v1/namespaces/mine/config',
  '/api/v1/namespaces/m/configmaps',
  '/api/v1/namespaces/oth/configmaps',
  '/api/v1/namespaces/%2e/secrets',
  '/apis/%2e%2e/secrets',
  '/apis/../api/v1/secrets',
  // Subresources and tails.
  `${mine}/seen/status`,
  `${mine}/seen/../../secrets/hidden`,
  '/api/v1/namespaces/mine/services/x/proxy/../../../secrets',
  '/api/v1/namespaces/mine/pods/x/proxy/api/v1/secrets',
  '/api/v1/nodes/x/proxy/api/v1/secrets',
  // The absolute form, and another host in it.
  'https://other.example/api/v1/secrets',
  'http://127.0.0.1/api/v1/namespaces/other/configmaps',
  'https:///api/v1/secrets',
  `${mine}#/../secrets`,
  `${mine}%23/../secrets`,
  '/metrics',
  '/debug/pprof/',
  '/debug/pprof/heap',
  '/logs/',
  '/logs/../etc/passwd',
  '/openapi/../metrics',
];

/** A list of the namespace in which the user has a role. */
function isOwn(status: number, body: Buffer | string): boolean {
  if (status !== 200) return false;
  const { items } = JSON.parse(body.toString()) as { items?: { metadata: { namespace: string } }[] };
  return items?.every(({ metadata }) => metadata.namespace === 'mine') === true;
}

describe('paths that mean one thing to authorization and another to handlers', function () {
  this.timeout(120_000);
  let setting: LowUserSetting;
  before(async () => {
    setting = await startWithLowUser();
  });
  after(async () => {
    await setting.stop();
    assert.deepEqual(setting.server.errors, []);
  });

  const raw = (method: string, target: string) => answerTo(setting.low.url, head(method, target, LOW_TOKEN));

  it("show nothing that is not the user's", async () => {
    assert.equal((await raw('GET', `${mine}/seen`)).status, 200);
    for (const target of targets) {
      const { status, body } = await raw('GET', target);
      assert.equal(showsMark(body), false, target);
      assert.ok(status >= 400 || isOwn(status, body), `${target}: ${status} ${body.toString().slice(0, 200)}`);
    }
  });

  it('change nothing, by whatever method', async () => {
    const kinds = [
      '/api/v1/configmaps',
      '/api/v1/secrets',
      '/api/v1/namespaces',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ];
    const state = async (): Promise<string[]> =>
      Promise.all(
        kinds.map(async (url) =>
          JSON.stringify(
            (
              (await setting.server.client.get(url)).json.items as {
                metadata: { uid: string; resourceVersion: string };
              }[]
            ).map(({ metadata }) => [metadata.uid, metadata.resourceVersion]),
          ),
        ),
      );
    const before = await state();
    for (const method of methods) {
      for (const target of targets) {
        if (method === 'GET' || method === 'HEAD') continue;
        const { status, body } = await raw(method, target);
        assert.ok(status >= 400, `${method} ${target}: ${status} ${body.slice(0, 200)}`);
      }
    }
    assert.deepEqual(await state(), before);
  });

  it('over HTTP/2 neither', async () => {
    const connection = await Http2Connection.open(setting.server);
    try {
      for (const target of targets.filter((t) => t.startsWith('/'))) {
        const { status, body } = await connection.send('GET', target, undefined, {
          authorization: `Bearer ${LOW_TOKEN}`,
        });
        assert.equal(showsMark(body), false, target);
        assert.ok(status >= 400 || isOwn(status, body), `${target}: ${status}`);
      }
    } finally {
      connection.close();
    }
  });

  it('with query parameters reach nothing else', async () => {
    for (const query of [
      'labelSelector=a',
      'fieldSelector=metadata.name%3Dhidden',
      'resourceVersion=0',
      'limit=1&continue=',
      'watch=false',
      'namespace=other',
      'allNamespaces=true',
    ]) {
      const { status, json } = await setting.low.get(`${mine}?${query}`);
      if (status !== 200) continue;
      assert.equal(showsMark(JSON.stringify(json)), false, query);
    }
    for (const query of [
      'fieldSelector=metadata.name%3Dseen',
      'fieldSelector=metadata.name%3Dhidden',
      'watch=1&fieldSelector=metadata.name%3Dseen',
    ]) {
      assert.equal((await setting.low.get(`/api/v1/namespaces/mine/secrets?${query}`)).status, 403, query);
    }
    // A token of one list does not open another.
    const { json: page } = await setting.server.client.get('/api/v1/configmaps?limit=1');
    const { status, body } = await setting.low.get(
      `${mine}?limit=100&continue=${encodeURIComponent(page.metadata.continue as string)}`,
    );
    assert.ok(status >= 400 || !showsMark(body), `${status}`);
  });
});
