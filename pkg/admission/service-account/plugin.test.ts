import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { serviceAccountPlugin } from './plugin.ts';

interface Mounting {
  volumeMounts?: { name: string; mountPath: string }[];
}
interface TestPod {
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: {
    serviceAccountName?: string;
    serviceAccount?: string;
    imagePullSecrets?: object[];
    volumes?: { name: string; projected?: { sources: object[] }; secret?: object }[];
    containers: Mounting[];
    initContainers?: Mounting[];
  };
}

describe('ServiceAccount', () => {
  const account = (name: string, more: object = {}, annotations = {}) => ({
    metadata: { name, namespace: 'n', uid: `uid-${name}`, annotations },
    ...more,
  });
  const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  const token = (name: string, of: string, uid = `uid-${of}`) => ({
    metadata: {
      name,
      namespace: 'n',
      annotations: { 'kubernetes.io/service-account.name': of, 'kubernetes.io/service-account.uid': uid },
    },
    type: 'kubernetes.io/service-account-token',
  });
  const lookup = lookupOf({
    serviceaccounts: [
      account('default', {
        imagePullSecrets: [{ name: 'pull' }],
        secrets: [{ name: 'docker' }, { name: 'old' }, { name: 'token' }],
      }),
      account('robot', { automountServiceAccountToken: false }),
      account('strict', { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'pull' }] }, strict),
    ],
    secrets: [
      { metadata: { name: 'docker', namespace: 'n' }, type: 'Opaque' },
      token('old', 'default', 'another'),
      token('token', 'default'),
    ],
  });
  const accountWait = { attempts: 2, pauseMs: 1 };
  const plugin = serviceAccountPlugin(lookup, { tokensFromSecrets: false, accountWait });
  const pod = (spec: object = {}, annotations?: Record<string, string>): TestPod => ({
    metadata: { name: 'p', namespace: 'n', ...(annotations === undefined ? {} : { annotations }) },
    spec: { containers: [{ name: 'c' }], ...spec } as unknown as TestPod['spec'],
  });
  const refused = (object: object, overrides = {}, by = plugin) => refusalOf(by, requestFor('pods', object, overrides));
  const head = '403 pods "p" is forbidden: ';
  const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('gives pods the default account, its token and its registry credentials', async () => {
    const created = pod({ initContainers: [{ name: 'i' }] });
    assert.equal(await refused(created), undefined);
    const { spec } = created;
    assert.deepEqual(
      [spec.serviceAccountName, spec.serviceAccount, spec.imagePullSecrets],
      ['default', 'default', [{ name: 'pull' }]],
    );
    const [volume] = spec.volumes!;
    assert.match(volume!.name, /^kube-api-access-[a-z0-9]{5}$/);
    assert.deepEqual(volume!.projected!.sources, [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ]);
    for (const container of [spec.containers[0], spec.initContainers![0]])
      assert.deepEqual(container!.volumeMounts, [{ name: volume!.name, readOnly: true, mountPath }]);
  });

  it('mounts nothing where the pod has a mount, or a volume of this name', async () => {
    const own = { name: 'mine', mountPath };
    const covered = pod({ containers: [{ name: 'c', volumeMounts: [own] }] });
    assert.equal(await refused(covered), undefined);
    assert.deepEqual([covered.spec.volumes, covered.spec.containers[0]!.volumeMounts], [undefined, [own]]);
    const again = pod({ volumes: [{ name: 'kube-api-access-abcde' }] });
    assert.equal(await refused(again), undefined);
    assert.equal(again.spec.volumes!.length, 1);
    assert.equal(again.spec.containers[0]!.volumeMounts![0]!.name, 'kube-api-access-abcde');
  });

  it("mounts by the pod's setting, then the account's", async () => {
    for (const [spec, mounted] of [
      [{ serviceAccountName: 'robot' }, false],
      [{ serviceAccountName: 'robot', automountServiceAccountToken: true }, true],
      [{ automountServiceAccountToken: false }, false],
    ] as const) {
      const created = pod(spec);
      assert.equal(await refused(created), undefined);
      assert.equal(created.spec.volumes !== undefined, mounted);
    }
  });

  it('keeps the credentials of a pod', async () => {
    const created = pod({ imagePullSecrets: [{ name: 'own' }] });
    assert.equal(await refused(created), undefined);
    assert.deepEqual(created.spec.imagePullSecrets, [{ name: 'own' }]);
  });

  it('refuses accounts that do not exist', async () => {
    assert.equal(
      await refused(pod({ serviceAccountName: 'nobody' })),
      `${head}error looking up service account n/nobody: serviceaccount "nobody" not found`,
    );
    const elsewhere = { ...pod(), metadata: { name: 'p', namespace: 'm' } };
    assert.equal(
      await refused(elsewhere),
      `${head}error looking up service account m/default: serviceaccount "default" not found`,
    );
  });

  it('waits a little for the default account of a new namespace', async () => {
    const accounts: object[] = [];
    const late = serviceAccountPlugin(lookupOf({ serviceaccounts: accounts }), {
      tokensFromSecrets: false,
      accountWait: { attempts: 100, pauseMs: 1 },
    });
    const waiting = refused(pod(), {}, late);
    accounts.push(account('default'));
    assert.equal(await waiting, undefined);
  });

  it('leaves mirror pods unchanged and without secrets', async () => {
    const mirror = (spec: object = {}) => pod(spec, { 'kubernetes.io/config.mirror': 'x' });
    const plain = mirror();
    assert.equal(await refused(plain), undefined);
    assert.deepEqual(plain, mirror());
    assert.equal(
      await refused(mirror({ serviceAccountName: 'default' })),
      `${head}a mirror pod may not reference service accounts`,
    );
    for (const spec of [
      { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
      { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] },
      { imagePullSecrets: [{ name: 's' }] },
      { containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }] },
      { initContainers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }] },
    ])
      assert.equal(await refused(mirror(spec)), `${head}a mirror pod may not reference secrets`);
    assert.equal(
      await refused(
        mirror({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }] }),
      ),
      `${head}a mirror pod may not use ServiceAccountToken volume projections`,
    );
  });

  it('lets pods use only listed secrets where the account says so', async () => {
    const words = (what: string) =>
      `${head}${what} is not allowed because service account strict does not reference that secret`;
    const of = (spec: object) => pod({ serviceAccountName: 'strict', ...spec });
    const env = (name: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }];
    assert.equal(
      await refused(
        of({ volumes: [{ name: 'v', secret: { secretName: 'mine' } }], containers: [{ name: 'c', env: env('mine') }] }),
      ),
      undefined,
    );
    assert.equal(
      await refused(of({ volumes: [{ name: 'v', secret: { secretName: 'other' } }] })),
      words('volume with secret.secretName="other"'),
    );
    assert.equal(
      await refused(of({ containers: [{ name: 'c', env: env('other') }] })),
      words('container c with envVar E referencing secret.secretName="other"'),
    );
    assert.equal(
      await refused(of({ initContainers: [{ name: 'i', env: env('other') }] })),
      words('init container i with envVar E referencing secret.secretName="other"'),
    );
    assert.equal(
      await refused(of({ containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'other' } }] }] })),
      words('container c with envFrom referencing secret.secretName="other"'),
    );
    assert.equal(
      await refused(of({ imagePullSecrets: [{ name: 'other' }] })),
      `${head}imagePullSecrets[0].name="other" is not allowed because service account strict does not reference that imagePullSecret`,
    );
  });

  it('checks debug containers against the same list', async () => {
    const debugged = (name: string) =>
      pod({
        serviceAccountName: 'strict',
        ephemeralContainers: [{ name: 'e', env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }] }],
      });
    const update = { operation: 'UPDATE', subresource: 'ephemeralcontainers' };
    assert.equal(await refused(debugged('mine'), update), undefined);
    assert.equal(
      await refused(debugged('other'), update),
      `${head}ephemeral container e with envVar E referencing secret.secretName="other" is not allowed because service account strict does not reference that secret`,
    );
  });

  it('leaves updates and other resources alone', async () => {
    const changed = pod();
    assert.equal(await refused(changed, { operation: 'UPDATE' }), undefined);
    assert.equal(
      await refusalOf(plugin, requestFor('configmaps', { metadata: { name: 'c', namespace: 'n' } })),
      undefined,
    );
    assert.deepEqual(changed, pod());
  });

  describe('with tokens from secrets', () => {
    const secrets = serviceAccountPlugin(lookup, { tokensFromSecrets: true, accountWait });

    it('mounts the first secret that holds a token of the account', async () => {
      const created = pod();
      assert.equal(await refused(created, {}, secrets), undefined);
      assert.deepEqual(created.spec.volumes, [{ name: 'token', secret: { secretName: 'token', defaultMode: 420 } }]);
      assert.deepEqual(created.spec.containers[0]!.volumeMounts, [{ name: 'token', readOnly: true, mountPath }]);
    });

    it("finds another name where a volume has the secret's, and uses a volume of the secret", async () => {
      const taken = pod({ volumes: [{ name: 'token', emptyDir: {} }] });
      assert.equal(await refused(taken, {}, secrets), undefined);
      assert.match(taken.spec.volumes![1]!.name, /^token-[a-z0-9]{5}$/);
      const there = pod({ volumes: [{ name: 'v', secret: { secretName: 'token' } }] });
      assert.equal(await refused(there, {}, secrets), undefined);
      assert.deepEqual([there.spec.volumes!.length, there.spec.containers[0]!.volumeMounts![0]!.name], [1, 'v']);
    });

    it("names the volume without the dots of the secret's name", async () => {
      const dotted = lookupOf({
        serviceaccounts: [account('default', { secrets: [{ name: 'a.b' }] })],
        secrets: [token('a.b', 'default')],
      });
      const created = pod();
      assert.equal(
        await refused(created, {}, serviceAccountPlugin(dotted, { tokensFromSecrets: true, accountWait })),
        undefined,
      );
      assert.deepEqual(created.spec.volumes, [{ name: 'a-b', secret: { secretName: 'a.b', defaultMode: 420 } }]);
    });

    it('requests a retry when there is no token yet', async () => {
      assert.equal(
        await refused(pod({ serviceAccountName: 'strict' }), {}, secrets),
        '500 No API token found for service account "strict", retry after the token is automatically created and added to the service account',
      );
    });
  });
});
