import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedStore } from '../embedded/embedded-store.ts';
import type { Store } from '../store.ts';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import { parseEncryptionConfiguration, type ProviderSettings } from './configuration.ts';
import { openEncryption } from './open-encryption.ts';
import { isEncrypted } from './prefixed-transformers.ts';
import { secretbox } from './secretbox.ts';
import { ValueTransformError, type ValueTransformer } from './value-transformer.ts';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const at = '/registry/secrets/default/a';
const value = Buffer.from('k8s\0 the secret of the day');

describe('transformers', () => {
  const each: readonly (readonly [name: string, make: (key: Uint8Array) => ValueTransformer, keyBytes: readonly number[]])[] = [
    ['aescbc', aesCbc, [16, 24, 32]],
    ['aesgcm', aesGcm, [16, 24, 32]],
    ['secretbox', secretbox, [32]],
  ];
  for (const [name, make, sizes] of each) {
    for (const size of sizes) {
      it(`${name} with ${size} bytes opens what it sealed, each time other bytes`, async () => {
        const transformer = make(randomBytes(size));
        const [first, second] = [await transformer.seal(value, at), await transformer.seal(value, at)];
        assert.notDeepEqual(first, second);
        assert.equal(text(first).includes('secret of the day'), false);
        const opened = await transformer.open(first, at);
        assert.deepEqual([Buffer.from(opened.value), opened.stale], [value, false]);
      });
    }

    it(`${name} refuses a wrong key, changed and cut values`, async () => {
      const key = randomBytes(32);
      const sealed = Buffer.from(await make(key).seal(Buffer.alloc(64, 1), at));
      const changed = Buffer.from(sealed);
      changed[changed.length - 1]! ^= 1;
      // A wrong key of aescbc is told by the padding alone, which fits by chance once in 256 times; the value is other bytes then.
      const opens = async (make2: ValueTransformer, bytes: Uint8Array): Promise<boolean> => {
        try {
          return Buffer.compare((await make2.open(bytes, at)).value, Buffer.alloc(64, 1)) === 0;
        } catch (error) {
          assert.ok(error instanceof ValueTransformError, String(error));
          return false;
        }
      };
      assert.equal(await opens(make(randomBytes(32)), sealed), false);
      assert.equal(await opens(make(key), changed), false);
      for (const length of [0, 1, 15, 16, 24, 31]) assert.equal(await opens(make(key), sealed.subarray(0, length)), false, String(length));
    });
  }

  it('aescbc and aesgcm read what other implementations write', async () => {
    const key = Buffer.alloc(32, 7);
    const iv = Buffer.alloc(16, 3);
    const cbc = createCipheriv('aes-256-cbc', key, iv);
    assert.deepEqual(await aesCbc(key).open(Buffer.concat([iv, cbc.update(value), cbc.final()]), at), { value, stale: false });
    const nonce = Buffer.alloc(12, 5);
    const gcm = createCipheriv('aes-256-gcm', key, nonce);
    gcm.setAAD(Buffer.from(at));
    assert.deepEqual(await aesGcm(key).open(Buffer.concat([nonce, gcm.update(value), gcm.final(), gcm.getAuthTag()]), at), { value, stale: false });
  });

  it('aescbc and aesgcm write what other implementations read', async () => {
    const key = Buffer.alloc(32, 7);
    const cbc = Buffer.from(await aesCbc(key).seal(value, at));
    const decipher = createDecipheriv('aes-256-cbc', key, cbc.subarray(0, 16));
    assert.deepEqual(Buffer.concat([decipher.update(cbc.subarray(16)), decipher.final()]), value);
    const gcm = Buffer.from(await aesGcm(key).seal(value, at));
    const open = createDecipheriv('aes-256-gcm', key, gcm.subarray(0, 12));
    open.setAAD(Buffer.from(at)).setAuthTag(gcm.subarray(-16));
    assert.deepEqual(Buffer.concat([open.update(gcm.subarray(12, -16)), open.final()]), value);
  });

  it('secretbox reads the published example of NaCl', async () => {
    // From the tests of the library that defined the construction ("cryptography in NaCl", 2009): key, nonce, the box.
    const hex = (s: string): Buffer => Buffer.from(s.replaceAll(/\s/g, ''), 'hex');
    const key = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
    const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
    const box = hex(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2
      270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`);
    const message = hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06d
      ceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
    assert.deepEqual(Buffer.from((await secretbox(key).open(Buffer.concat([nonce, box]), at)).value), message);
  });

  it('aesgcm opens a value in its own place alone', async () => {
    const key = randomBytes(32);
    const sealed = await aesGcm(key).seal(value, at);
    assert.throws(() => aesGcm(key).open(sealed, '/registry/secrets/default/b'), ValueTransformError);
  });
});

describe('EncryptedStore', () => {
  let dir: string;
  let plain: Store;
  const unopened: string[] = [];
  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-encryption-'));
    plain = new EmbeddedStore({ dataDir: dir });
  });
  after(async () => {
    await plain.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => unopened.splice(0));
  const keyed = (type: 'aescbc' | 'aesgcm' | 'secretbox', ...names: string[]): ProviderSettings => ({ type, keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name) })) });
  const none: ProviderSettings = { type: 'identity' };
  async function through(...providers: ProviderSettings[]): Promise<Store> {
    const { store } = await openEncryption(plain, {
      configuration: [{ resources: ['secrets', 'unknown.example.com'], providers }], prefix: '/registry',
      storagePathOf: (resource) => (resource === 'secrets' ? 'secrets' : undefined), onUnopened: (key) => unopened.push(key),
    });
    return store;
  }
  async function write(store: Store, key: string, content: string): Promise<void> {
    const current = await store.get(key);
    assert.equal((await store.commit(key, { expectRevision: current?.modRevision ?? 0, value: Buffer.from(content) })).ok, true);
  }
  const raw = async (key: string): Promise<string> => text((await plain.get(key))?.value);
  async function isStale(store: Store, key: string): Promise<boolean> {
    return store.isStale!(key, (await store.get(key))!.modRevision);
  }

  for (const type of ['aescbc', 'aesgcm', 'secretbox'] as const) {
    it(`keeps the values of its resources as ${type}, and no others`, async () => {
      const store = await through(keyed(type, 'k1'));
      await write(store, `secrets/x/${type}`, 'hidden');
      await write(store, `configmaps/x/${type}`, 'open');
      const stored = await raw(`secrets/x/${type}`);
      assert.ok(stored.startsWith(`k8s:enc:${type}:v1:k1:`) && !stored.includes('hidden'), stored);
      assert.equal(await raw(`configmaps/x/${type}`), 'open');
      assert.equal(text((await store.get(`secrets/x/${type}`))!.value), 'hidden');
      const { items } = await store.range(`secrets/x/${type}`);
      assert.deepEqual(items.map((i) => text(i.value)), ['hidden']);
      const conflict = await store.commit(`secrets/x/${type}`, { expectRevision: 0, value: Buffer.from('other') });
      assert.equal(!conflict.ok && text(conflict.current?.value), 'hidden');
    });
  }

  it('shows watchers opened values, before and after', async () => {
    const store = await through(keyed('aesgcm', 'k1'));
    const from = await store.currentRevision();
    await write(store, 'secrets/x/w', 'one');
    await write(store, 'secrets/x/w', 'two');
    await store.commit('secrets/x/w', { expectRevision: (await store.get('secrets/x/w'))!.modRevision });
    const stream = store.watch('secrets/', from);
    const seen: string[] = [];
    for await (const { events } of stream) {
      for (const e of events) seen.push(`${e.type} ${text(e.value)} ${text(e.previous?.value)}`);
      if (seen.length >= 3) break;
    }
    stream.close();
    assert.deepEqual(seen, ['put one ', 'put two one', 'delete  two']);
  });

  it('lets keys and providers be changed step by step', async () => {
    const key = 'secrets/x/rotated';
    await write(await through(none), key, 'v');
    assert.equal(await raw(key), 'v');
    const steps: readonly (readonly [providers: ProviderSettings[], prefix: string])[] = [
      [[keyed('aescbc', 'k1'), none], 'k8s:enc:aescbc:v1:k1:'],
      [[keyed('aescbc', 'k2', 'k1')], 'k8s:enc:aescbc:v1:k2:'],
      [[keyed('secretbox', 'k3'), keyed('aescbc', 'k2')], 'k8s:enc:secretbox:v1:k3:'],
      [[none, keyed('secretbox', 'k3')], 'v'],
    ];
    for (const [providers, prefix] of steps) {
      const store = await through(...providers);
      assert.equal(await isStale(store, key), true, prefix);
      await write(store, key, text((await store.get(key))!.value));
      assert.equal(await isStale(store, key), false, prefix);
      assert.ok((await raw(key)).startsWith(prefix), prefix);
    }
    assert.deepEqual(unopened, []);
  });

  it('hands on what does not open as it is, and leaves it there', async () => {
    const key = 'secrets/x/lost';
    await write(await through(keyed('aesgcm', 'gone')), key, 'v');
    const stored = await raw(key);
    for (const providers of [[keyed('aesgcm', 'other')], [none], [{ type: 'aesgcm', keys: [{ name: 'gone', secret: Buffer.alloc(32, 9) }] } as ProviderSettings]]) {
      const store = await through(...providers);
      assert.equal(text((await store.get(key))!.value), stored);
      assert.deepEqual(unopened.splice(0), [key]);
      assert.equal(await raw(key), stored);
    }
  });

  it('never takes a plain value for one that it opened: without identity nobody slips values in', async () => {
    const key = 'secrets/x/plain';
    await write(plain, key, 'slipped in');
    const store = await through(keyed('aesgcm', 'k1'));
    const read = [(await store.get(key))!, ...(await store.range(key)).items];
    assert.deepEqual(read.map(({ value: found }) => [isEncrypted(found), text(found).includes('slipped in')]), [[true, false], [true, false]]);
    assert.deepEqual([unopened, await raw(key)], [[key, key], 'slipped in']);
  });
});

describe('parseEncryptionConfiguration', () => {
  const secret = Buffer.alloc(32, 1).toString('base64');
  const wrap = (providers: unknown, more: object = {}): string => JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources: [{ resources: ['secrets'], providers, ...more }] });
  const problems = (document: string): readonly string[] => {
    try {
      parseEncryptionConfiguration(document);
      return [];
    } catch (error) {
      return (error as { problems: readonly string[] }).problems;
    }
  };

  it('reads both kinds, with every provider', () => {
    const [read] = parseEncryptionConfiguration(`
kind: EncryptionConfig
apiVersion: v1
resources:
- resources: [secrets, deployments.apps]
  providers:
  - aescbc: {keys: [{name: a, secret: ${secret}}]}
  - secretbox: {keys: [{name: b, secret: ${secret}}]}
  - kms: {name: k, endpoint: 'unix:///run/kms.sock', timeout: 1500ms, cachesize: 5}
  - kms: {apiVersion: v2, name: k, endpoint: 'unix:///run/kms.sock'}
  - identity: {}
`);
    assert.deepEqual(read!.resources, ['secrets', 'deployments.apps']);
    assert.deepEqual(read!.providers.map((p) => p.type), ['aescbc', 'secretbox', 'kms', 'kms', 'identity']);
    assert.deepEqual(read!.providers[2], { type: 'kms', kms: { version: 1, name: 'k', endpoint: 'unix:///run/kms.sock', cacheSize: 5, timeoutMs: 1500 } });
    assert.equal(parseEncryptionConfiguration(wrap([{ identity: {} }])).length, 1);
  });

  const wrong: readonly (readonly [what: string, document: string, problem: RegExp])[] = [
    ['what is no YAML', 'a: [', /./],
    ['another kind', '{"kind":"Other","resources":[]}', /^kind: must be EncryptionConfiguration/],
    ['no resources', '{"apiVersion":"v1","kind":"EncryptionConfig"}', /^resources: at least one/],
    ['no providers', wrap([]), /^resources\[0\]\.providers: at least one/],
    ['two providers in one', wrap([{ identity: {}, aescbc: {} }]), /^resources\[0\]\.providers\[0\]: must have exactly one/],
    ['an unknown provider', wrap([{ rot13: {} }]), /^resources\[0\]\.providers\[0\]: unknown provider "rot13"/],
    ['a provider without keys', wrap([{ aescbc: {} }]), /aescbc\.keys: at least one/],
    ['a short key', wrap([{ secretbox: { keys: [{ name: 'a', secret: 'AAAA' }] } }]), /secretbox\.keys\[0\]\.secret: must be 32 bytes long, not 3/],
    ['a key that is no base64', wrap([{ aesgcm: { keys: [{ name: 'a', secret: 'not base64!' }] } }]), /aesgcm\.keys\[0\]\.secret: must be base64/],
    ['a key without a name', wrap([{ aesgcm: { keys: [{ secret }] } }]), /keys\[0\]\.name: is required/],
    ['a name with a colon', wrap([{ aesgcm: { keys: [{ name: 'a:b', secret }] } }]), /must not contain a colon/],
    ['two keys of one name', wrap([{ aesgcm: { keys: [{ name: 'a', secret }, { name: 'a', secret }] } }]), /"a" is there twice/],
    ['a kms without a socket', wrap([{ kms: { name: 'k', endpoint: 'http://x' } }]), /kms\.endpoint: must be a socket/],
    ['a wildcard', wrap([{ identity: {} }], { resources: ['*.*'] }), /resources\[0\]: "\*\.\*" must be a resource/],
  ];
  for (const [what, document, problem] of wrong) {
    it(`refuses ${what}`, () => {
      const found = problems(document);
      assert.match(found.join('\n'), new RegExp(problem.source, 'm'));
      assert.equal(found.join('\n').includes(secret), false);
    });
  }
});
