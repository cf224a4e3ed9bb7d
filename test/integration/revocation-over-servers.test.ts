import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** Far more than a server behind by `lagMs` needs, on a busy machine. */
const seenWithinMs = 20_000;
/** How far the second server is behind. */
const lagMs = 150;
const rounds = 3;

/**
 * A permission ends on the server that removed it with its answer, and on every other as soon as that one sees the
 * change.
 */
describe('what is revoked through one of two servers on one etcd', function () {
  this.timeout(90_000);
  let dir: string;
  let etcd: EtcdServer;
  let proxy: TcpProxy;
  let servers: TestServer[] = [];
  let own: ApiClient;
  let other: ApiClient;
  let count = 0;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-revocation-'));
    const key = path.join(dir, 'sa.key');
    writeFileSync(
      key,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    );
    const args = [
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--service-account-issuer=https://issuer.example',
      '--authorization-mode=RBAC',
      '--enable-bootstrap-token-auth',
      '--enable-admission-plugins=ServiceAccount',
    ];
    etcd = await EtcdServer.start();
    proxy = await TcpProxy.start(Number(new URL(etcd.url).port));
    servers = await Promise.all(
      [etcd.url, `http://127.0.0.1:${proxy.port}`].map((url) => startTestServer({ etcd: url, args })),
    );
    [own, other] = servers.map(({ client }) => client) as [ApiClient, ApiClient];
    proxy.delayAnswers(lagMs);
  });
  after(async () => {
    proxy.delayAnswers(0);
    for (const server of servers) {
      await server.stop();
      assert.deepEqual(server.errors, []);
    }
    await proxy.stop();
    await etcd.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const secrets = '/api/v1/namespaces/default/secrets';
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

  async function make(collection: string, object: object): Promise<any> {
    const { status, body, json } = await own.post(collection, object);
    assert.equal(status, 201, body.toString());
    return json;
  }
  async function account(): Promise<string> {
    const name = `a${++count}`;
    await make(accounts, { metadata: { name } });
    return name;
  }
  const token = async (name: string, spec: object = {}): Promise<string> =>
    (await make(`${accounts}/${name}/token`, { spec })).status.token;
  const ask = async (client: ApiClient, bearer: string, target = '/version'): Promise<number> =>
    (await client.get(target, { authorization: `Bearer ${bearer}` })).status;
  async function take(target: string): Promise<void> {
    assert.equal((await own.delete(target)).status, 200);
  }
  async function untilAnswered(status: number, question: () => Promise<number>): Promise<void> {
    const deadline = Date.now() + seenWithinMs;
    while ((await question()) !== status) {
      assert.ok(Date.now() < deadline, `no ${status} yet`);
      await sleep(20);
    }
  }

  it('ends with the account of a token', async () => {
    for (let i = 0; i < rounds; i++) {
      const name = await account();
      const bearer = await token(name);
      assert.deepEqual(
        [await ask(own, bearer), await ask(other, bearer)],
        [200, 200],
        'an account that another server has just made is looked for',
      );
      await take(`${accounts}/${name}`);
      assert.equal(await ask(own, bearer), 401);
      await untilAnswered(401, () => ask(other, bearer));
      await make(accounts, { metadata: { name } });
      assert.deepEqual([await ask(own, bearer), await ask(other, bearer)], [401, 401], 'another account of that name');
    }
  });

  it('ends with the secret that a token is bound to', async () => {
    for (let i = 0; i < rounds; i++) {
      const name = await account();
      await make(secrets, { metadata: { name } });
      const bearer = await token(name, { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name } });
      assert.equal(await ask(other, bearer), 200);
      await take(`${secrets}/${name}`);
      assert.equal(await ask(own, bearer), 401);
      await untilAnswered(401, () => ask(other, bearer));
    }
  });

  it('ends with a bootstrap token', async () => {
    const collection = '/api/v1/namespaces/kube-system/secrets';
    const name = 'bootstrap-token-abcdef';
    await make(collection, {
      metadata: { name },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
      },
    });
    const bearer = 'abcdef.0123456789abcdef';
    assert.deepEqual([await ask(own, bearer), await ask(other, bearer)], [200, 200]);
    await take(`${collection}/${name}`);
    assert.equal(await ask(own, bearer), 401);
    await untilAnswered(401, () => ask(other, bearer));
  });

  it('ends with a binding, a subject of one, and a rule', async () => {
    const name = await account();
    const bearer = await token(name);
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const subject = { kind: 'ServiceAccount', name, namespace: 'default' };
    const binding = {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [subject],
    };
    const role = { metadata: { name }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] };
    const onBoth = async (status: number): Promise<void> => {
      for (const client of [own, other]) await untilAnswered(status, () => ask(client, bearer, '/api/v1/pods'));
    };
    await make(roles, role);
    await make(bindings, binding);
    await onBoth(200);
    await own.put(`${bindings}/${name}`, { ...binding, subjects: [{ ...subject, name: 'nobody' }] });
    await onBoth(403);
    await own.put(`${bindings}/${name}`, binding);
    await onBoth(200);
    await own.put(`${roles}/${name}`, { ...role, rules: [] });
    await onBoth(403);
    await own.put(`${roles}/${name}`, role);
    await onBoth(200);
    await take(`${bindings}/${name}`);
    await onBoth(403);
  });

  it('leaves no pod of an account that is gone', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = (name: string, serviceAccountName: string): object => ({
      metadata: { name },
      spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }] },
    });
    for (let i = 0; i < rounds; i++) {
      const name = await account();
      assert.equal(
        (await other.post(pods, pod(`early-${name}`, name))).status,
        201,
        'made by another server a moment ago',
      );
      await take(`${accounts}/${name}`);
      assert.equal((await own.post(pods, pod(`late-${name}`, name))).status, 403);
    }
  });
});
