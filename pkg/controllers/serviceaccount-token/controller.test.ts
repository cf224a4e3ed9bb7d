import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { secrets, serviceAccounts } from '../../api/core/tokens.ts';
import type { Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { serviceAccountTokenController } from './controller.ts';
import { tokenSigner } from './sign-token.ts';
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRET_TYPE } from './token-secret.ts';

const pemOf = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));
const part = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());

describe('the service account token controller', () => {
  let fixture: ControllersFixture;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const robot = { namespace: 'a', name: 'robot' };
  const token = { namespace: 'a', name: 'robot-token' };
  const config = (accounts: Partial<ControllersConfig['accounts']>): ControllersConfig =>
    ({
      accounts: { rootCa: 'CA', privateKey: pemOf(privateKey), ...accounts },
      workers: { serviceAccountToken: 1 },
    }) as ControllersConfig;
  const start = (): Promise<void> => fixture.start(serviceAccountTokenController.create(fixture.context, config({}))!);
  const account = (more: Partial<ServiceAccount> = {}): Promise<ServiceAccount> =>
    fixture.client.create(serviceAccounts, { metadata: robot, ...more });
  const create = (annotations: Record<string, string>, more: Partial<Secret> = {}): Promise<Secret> =>
    fixture.client.create(secrets, { metadata: { ...token, annotations }, type: TOKEN_SECRET_TYPE, ...more });
  const read = (): Promise<Secret> => fixture.client.get(secrets, token);
  const names = async (): Promise<string[]> =>
    (await fixture.client.list(secrets)).items.map(({ metadata }) => metadata.name!);
  const text = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString();

  it('fills a secret with certificates, namespace and a signed token', async () => {
    const { metadata } = await account();
    await create({ [ACCOUNT_NAME]: 'robot', mine: 'x' });
    await start();
    const secret = await read();
    assert.deepEqual(secret.metadata.annotations, { [ACCOUNT_NAME]: 'robot', [ACCOUNT_UID]: metadata.uid, mine: 'x' });
    assert.deepEqual([text(secret, 'ca.crt'), text(secret, 'namespace')], ['CA', 'a']);
    const [head = '', body = '', signature = ''] = text(secret, 'token').split('.');
    const der = publicKey.export({ type: 'spki', format: 'der' });
    assert.deepEqual(part(head), { alg: 'ES256', kid: createHash('sha256').update(der).digest('base64url') });
    assert.deepEqual(part(body), {
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'a',
      'kubernetes.io/serviceaccount/secret.name': 'robot-token',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': metadata.uid,
      sub: 'system:serviceaccount:a:robot',
    });
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')));
    assert.deepEqual(fixture.errors, []);
  });

  it('fills what is taken out again, and keeps a token that is there', async () => {
    await account();
    await create({ [ACCOUNT_NAME]: 'robot' }, { data: { token: 'a2VwdA==' } });
    await start();
    const secret = await read();
    assert.equal(text(secret, 'token'), 'kept');
    await fixture.client.update(secrets, { ...secret, data: { 'ca.crt': 'eA==', namespace: 'bWluZQ==' } });
    await fixture.clock.advance(0);
    const again = await read();
    assert.deepEqual([text(again, 'ca.crt'), text(again, 'namespace')], ['CA', 'mine']);
    assert.match(text(again, 'token'), /^ey.*\..*\./);
  });

  it('deletes secrets of accounts that are not there, or that are others by now', async () => {
    await account();
    await start();
    await create({ [ACCOUNT_NAME]: 'nobody' });
    await fixture.clock.advance(0);
    assert.deepEqual(await names(), []);
    await create({ [ACCOUNT_NAME]: 'robot', [ACCOUNT_UID]: 'of-an-earlier-one' });
    await fixture.clock.advance(0);
    assert.deepEqual([await names(), fixture.errors], [[], []]);
  });

  it('deletes the secrets of an account that goes, and leaves those of others and other types', async () => {
    await account();
    await fixture.client.create(serviceAccounts, { metadata: { namespace: 'a', name: 'other' } });
    await create({ [ACCOUNT_NAME]: 'robot' });
    await fixture.client.create(secrets, {
      metadata: { namespace: 'a', name: 'other-token', annotations: { [ACCOUNT_NAME]: 'other' } },
      type: TOKEN_SECRET_TYPE,
    });
    await fixture.client.create(secrets, {
      metadata: { namespace: 'a', name: 'plain', annotations: { [ACCOUNT_NAME]: 'nobody' } },
      type: 'Opaque',
    });
    await start();
    await fixture.client.delete(serviceAccounts, robot);
    await fixture.clock.advance(0);
    assert.deepEqual([(await names()).toSorted(), fixture.errors], [['other-token', 'plain'], []]);
  });

  it('takes a secret that is gone out of its account, and no other', async () => {
    await account({ secrets: [{ name: 'robot-token' }, { name: 'mine' }] });
    await create({ [ACCOUNT_NAME]: 'robot' });
    await start();
    await fixture.client.delete(secrets, token);
    await fixture.clock.advance(0);
    assert.deepEqual((await fixture.client.get(serviceAccounts, robot)).secrets, [{ name: 'mine' }]);
  });

  it('is off without a key, and rejects one that signs no tokens', () => {
    const make = (key: string): unknown =>
      serviceAccountTokenController.create(fixture.context, config({ privateKey: key }));
    assert.equal(make(''), undefined);
    assert.throws(() => make(pemOf(generateKeyPairSync('ed25519').privateKey)), /neither RSA nor ECDSA/);
  });

  it('signs with RSA', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const made = tokenSigner(pemOf(rsa.privateKey))({ namespace: 'a', secret: 's', account: 'x', uid: 'u' });
    const [head = '', body = '', signature = ''] = made.split('.');
    assert.equal((part(head) as { alg: string }).alg, 'RS256');
    assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), rsa.publicKey, Buffer.from(signature, 'base64url')));
  });
});
