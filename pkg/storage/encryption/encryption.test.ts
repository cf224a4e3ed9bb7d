import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedStore } from '../embedded/embedded-store.ts';
import type { Store } from '../store.ts';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import { EncryptedStore } from './encrypted-store.ts';
import { parseEncryptionConfiguration } from './configuration.ts';
import { openEncryption } from './open-encryption.ts';
import { isEncrypted } from './prefixed-transformers.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { secretbox } from './secretbox.ts';
import { decryptionError } from './unopened-value.ts';
import { KeyServiceError, ValueTransformError, type ValueTransformer } from './value-transformer.ts';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const at = '/registry/secrets/default/a';
const value = Buffer.from('k8s\0 the secret of the day');

describe('transformers', () => {
  const each: readonly (readonly [
    name: string,
    make: (key: Uint8Array) => ValueTransformer,
    keyBytes: readonly number[],
  ])[] = [
    ['aescbc', aesCbc, [16, 24, 32]],
    ['aesgcm', aesGcm, [16, 24, 32]],
    ['secretbox', secretbox, [32]],
  ];
  for (const [name, make, sizes] of each) {
    for (const size of sizes) {
      it(`${name} with ${size} bytes decrypts what it encrypted, each time other bytes`, async () => {
        const transformer = make(randomBytes(size));
        const [first, second] = [await transformer.seal(value, at), await transformer.seal(value, at)];
        assert.notDeepEqual(first, second);
        assert.equal(text(first).includes('secret of the day'), false);
        const opened = await transformer.open(first, at);
        assert.deepEqual([Buffer.from(opened.value), opened.stale], [value, false]);
      });
    }

    it(`${name} refuses a wrong key, and changed or truncated values`, async () => {
      const key = randomBytes(32);
      const sealed = Buffer.from(await make(key).seal(Buffer.alloc(64, 1), at));
      const changed = Buffer.from(sealed);
      changed[changed.length - 1]! ^= 1;
      // Only the padding reveals a wrong key of aescbc, and it fits by chance once in 256 times; the value is other
      // bytes then.
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
      for (const length of [0, 1, 15, 16, 24, 31])
        assert.equal(await opens(make(key), sealed.subarray(0, length)), false, String(length));
    });
  }

  it('aescbc and aesgcm read what other implementations write', async () => {
    const key = Buffer.alloc(32, 7);
    const iv = Buffer.alloc(16, 3);
    const cbc = createCipheriv('aes-256-cbc', key, iv);
    assert.deepEqual(await aesCbc(key).open(Buffer.concat([iv, cbc.update(value), cbc.final()]), at), {
      value,
      stale: false,
    });
    const nonce = Buffer.alloc(12, 5);
    const gcm = createCipheriv('aes-256-gcm', key, nonce);
    gcm.setAAD(Buffer.from(at));
    assert.deepEqual(
      await aesGcm(key).open(Buffer.concat([nonce, gcm.update(value), gcm.final(), gcm.getAuthTag()]), at),
      { value, stale: false },
    );
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
    const box =
      hex(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2
      270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`);
    const message =
      hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06d
      ceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
    assert.deepEqual(Buffer.from((await secretbox(key).open(Buffer.concat([nonce, box]), at)).value), message);
  });

  it('aesgcm decrypts a value only in its own place', async () => {
    const key = randomBytes(32);
    const sealed = await aesGcm(key).seal(value, at);
    assert.throws(() => aesGcm(key).open(sealed, '/registry/secrets/default/b'), ValueTransformError);
  });
});

describe('EncryptedStore', () => {
  let dir: string;
  let plain: Store;
  const unopened: string[] = [];
  const unknown = new Set<string>();
  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-encryption-'));
    plain = new EmbeddedStore({ dataDir: dir });
  });
  after(async () => {
    await plain.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => unopened.splice(0));
  const keyed = (type: 'aescbc' | 'aesgcm' | 'secretbox', ...names: string[]): ProviderSettings => ({
    type,
    keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name) })),
  });
  const none: ProviderSettings = { type: 'identity' };
  async function through(...providers: ProviderSettings[]): Promise<Store> {
    const { store } = await openEncryption(plain, {
      configuration: [{ resources: ['secrets', 'unknown.example.com'], providers }],
      prefix: '/registry',
      resourceAt: (at) => (at === 'secrets' ? 'secrets' : undefined),
      isKnown: (resource) => resource === 'secrets',
      onDecryptionError: (key) => unopened.push(key),
      onUnknown: (resource) => unknown.add(resource),
    });
    return store;
  }
  async function write(store: Store, key: string, content: string): Promise<void> {
    const current = await store.get(key);
    assert.equal(
      (await store.commit(key, { expectRevision: current?.modRevision ?? 0, value: Buffer.from(content) })).ok,
      true,
    );
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
      assert.deepEqual(
        items.map((i) => text(i.value)),
        ['hidden'],
      );
      const conflict = await store.commit(`secrets/x/${type}`, { expectRevision: 0, value: Buffer.from('other') });
      assert.equal(!conflict.ok && text(conflict.current?.value), 'hidden');
    });
  }

  it('shows watchers decrypted values, before and after', async () => {
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

  it('reports why a value cannot be decrypted, in the words of stock servers, and leaves it there', async () => {
    const key = 'secrets/x/lost';
    await write(await through(keyed('aesgcm', 'gone')), key, 'v');
    const stored = await raw(key);
    const wrong: ProviderSettings = { type: 'aesgcm', keys: [{ name: 'gone', secret: Buffer.alloc(32, 9) }] };
    for (const [providers, why] of [
      [[keyed('aesgcm', 'other')], 'no matching key was found for the provided AES transformer'],
      [[keyed('secretbox', 'gone')], 'no matching prefix found'],
      [[keyed('secretbox', 'gone'), none], 'identity transformer tried to read encrypted data'],
      [[wrong], 'cipher: message authentication failed'],
      [[wrong, none], 'cipher: message authentication failed'],
    ] as const) {
      const store = await through(...providers);
      assert.equal(
        decryptionError((await store.get(key))!.value, key),
        `unable to transform key "/registry/secrets/x/lost": ${why}`,
      );
      assert.deepEqual(unopened.splice(0), [key]);
      assert.equal(await raw(key), stored);
    }
    assert.equal(
      decryptionError((await plain.get(key))!.value, key),
      'unable to transform key "secrets/x/lost": identity transformer tried to read encrypted data',
    );
  });

  it('reports resources that it does not know', async () => {
    await through(none);
    assert.deepEqual([...unknown], ['unknown.example.com']);
  });

  it('tries every key of a name, and every entry of a resource', async () => {
    const key = 'secrets/x/same-name';
    const one = (secret: number): ProviderSettings => ({
      type: 'aesgcm',
      keys: [{ name: 'k', secret: Buffer.alloc(32, secret) }],
    });
    await write(await through(one(1)), key, 'v');
    assert.equal(text((await (await through(one(2), one(1))).get(key))!.value), 'v');
    const { store } = await openEncryption(plain, {
      configuration: [one(2), one(1)].map((provider) => ({ resources: ['secrets'], providers: [provider] })),
      prefix: '/registry',
      resourceAt: (at) => (at === 'secrets' ? 'secrets' : undefined),
      isKnown: () => true,
      onDecryptionError: (k) => unopened.push(k),
    });
    assert.equal(text((await store.get(key))!.value), 'v');
    assert.equal(await isStale(store, key), true);
    assert.deepEqual(unopened, []);
  });

  it('follows what is stored where, as resources come and go', async () => {
    const resources = new Map<string, string>();
    const { store } = await openEncryption(plain, {
      configuration: [{ resources: ['*.example.com'], providers: [keyed('aesgcm', 'k1')] }],
      prefix: '/registry',
      resourceAt: (at) => resources.get(at),
      isKnown: () => false,
      onDecryptionError: (k) => unopened.push(k),
      onUnknown: () => assert.fail('a pattern is known'),
    });
    await write(store, 'example.com/things/a', 'seen');
    resources.set('example.com/things', 'things.example.com');
    await write(store, 'example.com/things/b', 'hidden');
    resources.delete('example.com/things');
    assert.equal(await raw('example.com/things/a'), 'seen');
    assert.match(await raw('example.com/things/b'), /^k8s:enc:aesgcm:v1:k1:/);
    assert.match(text((await store.get('example.com/things/b'))!.value), /^k8s:enc:aesgcm:v1:k1:/);
    resources.set('example.com/things', 'things.example.com');
    assert.equal(text((await store.get('example.com/things/b'))!.value), 'hidden');
  });

  it('ends watches when a key service answers again, so that everything is read again', async () => {
    let down = true;
    const service: ValueTransformer = {
      async open(stored) {
        if (down) throw new KeyServiceError('the vault is sealed');
        return { value: stored, stale: false };
      },
      seal: async (bytes) => bytes,
    };
    const store = new EncryptedStore(plain, {
      transformers: new Map([['secrets', service]]),
      prefix: '/registry',
      onDecryptionError: (key) => unopened.push(key),
      retryMs: 5,
    });
    await plain.commit('secrets/x/away', { expectRevision: 0, value: Buffer.from('v') });
    assert.match(decryptionError((await store.get('secrets/x/away'))!.value, '') ?? '', /: the vault is sealed$/);
    const stream = store.watch('', await store.currentRevision());
    const ended = (async () => {
      for await (const _ of stream) assert.fail('nothing happened');
    })();
    down = false;
    await assert.rejects(ended, /can: everything is read again/);
    assert.equal(text((await store.get('secrets/x/away'))!.value), 'v');
  });

  it('never takes a plain value for a decrypted one: without identity plain values are refused', async () => {
    const key = 'secrets/x/plain';
    await write(plain, key, 'slipped in');
    const store = await through(keyed('aesgcm', 'k1'));
    const read = [(await store.get(key))!, ...(await store.range(key)).items];
    assert.deepEqual(
      read.map(({ value: found }) => [isEncrypted(found), text(found).includes('slipped in')]),
      [
        [true, false],
        [true, false],
      ],
    );
    assert.deepEqual([unopened, await raw(key)], [[key, key], 'slipped in']);
  });
});

describe('parseEncryptionConfiguration', () => {
  const secret = Buffer.alloc(32, 1).toString('base64');
  const wrap = (providers: unknown, more: object = {}): string =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers, ...more }],
    });
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
    assert.deepEqual(
      read!.providers.map((p) => p.type),
      ['aescbc', 'secretbox', 'kms', 'kms', 'identity'],
    );
    assert.deepEqual(read!.providers[2], {
      type: 'kms',
      kms: { version: 1, name: 'k', endpoint: 'unix:///run/kms.sock', cacheSize: 5, timeoutMs: 1500 },
    });
    assert.equal(parseEncryptionConfiguration(wrap([{ identity: {} }])).length, 1);
  });

  it('reads patterns of resources, but none that hides another entry of its list', () => {
    const listed = (...resources: string[]): readonly string[] => problems(wrap([{ identity: {} }], { resources }));
    assert.deepEqual(listed('*.', '*.apps', '*.stable.example.com', 'jobs.batch'), []);
    assert.deepEqual(listed('*.*'), []);
    const covered = 'is covered by a pattern of the same list';
    assert.deepEqual(listed('*.', 'secrets'), [`resources[0].resources[1]: Invalid value: "secrets": ${covered}`]);
    assert.deepEqual(listed('*'), [
      'resources[0].resources[0]: Invalid value: "*": must be *. for all resources of the core group, or *.* for all',
    ]);
    for (const name of ['*secrets', 'a.*', '*.A', '**'])
      assert.match(listed(name)[0]!, /must be a resource such as secrets or deployments\.apps, or a pattern such as/);
  });

  const keysOf = (type: string, ...keys: object[]): string => wrap([{ [type]: { keys } }]);
  const at = 'resources[0].providers[0]';
  const wrong: readonly (readonly [what: string, document: string, problem: string])[] = [
    [
      'another kind',
      '{"kind":"Other","resources":[]}',
      'kind: must be EncryptionConfiguration of apiserver.config.k8s.io/v1, or EncryptionConfig of v1',
    ],
    [
      'no resources',
      '{"apiVersion":"v1","kind":"EncryptionConfig"}',
      'resources: Required value: at least one resources is required',
    ],
    [
      'no providers',
      wrap([]),
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ],
    [
      'an entry of nothing',
      wrap([{ identity: {} }], { resources: [] }),
      'resources[0].resources: Required value: at least one resources[0].resources is required',
    ],
    [
      'two providers in one',
      wrap([{ identity: {}, aescbc: {} }]),
      `${at}: Invalid value: more than one provider specified in a single element, should split into different list elements`,
    ],
    [
      'an unknown provider',
      wrap([{ rot13: {} }]),
      `${at}: Invalid value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
    ],
    [
      'a provider that is null',
      wrap([{ identity: null }]),
      `${at}: Invalid value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
    ],
    [
      'a provider without keys',
      wrap([{ aescbc: {} }]),
      `${at}.aescbc.keys: Required value: at least one keys is required`,
    ],
    [
      'a short key',
      keysOf('secretbox', { name: 'a', secret: 'AAAA' }),
      `${at}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [32]`,
    ],
    [
      'a key of an odd length',
      keysOf('aescbc', { name: 'a', secret: 'AAAA' }),
      `${at}.aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [16 24 32]`,
    ],
    [
      'a key that is no base64',
      keysOf('aesgcm', { name: 'a', secret: 'not base64!' }),
      `${at}.aesgcm.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      'a key without a secret',
      keysOf('aesgcm', { name: 'a' }),
      `${at}.aesgcm.keys[0].secret: Required value: secret is a mandatory field for a key`,
    ],
    [
      'a key without a name',
      keysOf('aesgcm', { secret }),
      `${at}.aesgcm.keys[0].name: Required value: name is a mandatory field for a key`,
    ],
    [
      'a kms without a name',
      wrap([{ kms: { endpoint: 'unix:///k' } }]),
      `${at}.kms.name: Required value: name is a mandatory field for a provider`,
    ],
    [
      'a kms of version 2 with a colon',
      wrap([{ kms: { apiVersion: 'v2', name: 'a:b', endpoint: 'unix:///k' } }]),
      `${at}.kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`,
    ],
    [
      'a kms without an endpoint',
      wrap([{ kms: { name: 'k' } }]),
      `${at}.kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms`,
    ],
    [
      'a kms without a socket',
      wrap([{ kms: { name: 'k', endpoint: 'http://x' } }]),
      `${at}.kms.endpoint: Invalid value: "http://x": unsupported scheme "http" for KMS provider, only unix is supported`,
    ],
    [
      'a kms without time',
      wrap([{ kms: { name: 'k', endpoint: 'unix:///k', timeout: '0s' } }]),
      `${at}.kms.timeout: Invalid value: "0s": timeout should be a positive value`,
    ],
    [
      'a kms with an empty cache',
      wrap([{ kms: { name: 'k', endpoint: 'unix:///k', cachesize: 0 } }]),
      `${at}.kms.cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable`,
    ],
    [
      'a kms of another version',
      wrap([{ kms: { name: 'k', endpoint: 'unix:///k', apiVersion: 'v3' } }]),
      `${at}.kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported`,
    ],
  ];
  it('refuses two services of version 2 with one name', () => {
    const kms = { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///k' } };
    assert.deepEqual(problems(wrap([kms, kms])), [
      'resources[0].providers[1].kms.name: Invalid value: "k": duplicate KMS provider name k, names must be unique',
    ]);
  });

  it('refuses what is no YAML', () => assert.equal(problems('a: [').length, 1));

  it('accepts what stock servers accept: colons in names, one name twice, line ends in keys, no cache', () => {
    const [read] = parseEncryptionConfiguration(
      wrap([
        {
          aescbc: {
            keys: [
              { name: 'a:b', secret: `${secret}\n` },
              { name: 'a:b', secret },
            ],
          },
        },
        { kms: { name: 'v:1', endpoint: 'unix:///k', cachesize: -1 } },
        { identity: {}, aesgcm: null },
      ]),
    );
    const [aes, kms, last] = read!.providers;
    assert.deepEqual(
      [
        aes!.type === 'aescbc' && aes!.keys.map((k) => [k.name, k.secret.length]),
        kms!.type === 'kms' && kms!.kms.cacheSize,
        last,
      ],
      [
        [
          ['a:b', 32],
          ['a:b', 32],
        ],
        0,
        { type: 'identity' },
      ],
    );
  });

  for (const [what, document, problem] of wrong) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(problems(document), [problem]);
    });
  }
});
