import assert from 'node:assert/strict';
import type { KmsSettings } from '../provider-settings.ts';
import { ValueTransformError } from '../value-transformer.ts';
import { startKmsPlugin, type KmsPlugin } from './kms-plugin-testing.ts';
import type { KmsProvider } from './kms-provider.ts';
import { openKmsProvider } from './open-kms-provider.ts';
import type { DataKeyObserver } from './data-key-observer.ts';

const at = '/registry/secrets/default/a';
const value = Buffer.from('readable by its owner only');

for (const [version, packages] of [
  [1, ['v1beta1']],
  [2, ['v2']],
  [2, ['v2alpha1']],
] as const) {
  describe(`kms of version ${version} with a plugin of ${packages.join()}`, () => {
    let plugin: KmsPlugin;
    const providers: KmsProvider[] = [];
    before(async () => {
      plugin = await startKmsPlugin(packages);
    });
    after(async () => {
      for (const provider of providers) provider.close();
      await plugin.stop();
    });
    function open(overrides: Partial<KmsSettings> = {}): KmsProvider {
      const provider = openKmsProvider({
        version,
        name: 'vault',
        endpoint: plugin.endpoint,
        cacheSize: 10,
        timeoutMs: 2000,
        ...overrides,
      });
      providers.push(provider);
      return provider;
    }

    it('decrypts what it encrypted, in another process too, and calls the plugin once per data key', async () => {
      const sealed = await open().transformer.seal(value, at);
      assert.equal(Buffer.from(sealed).includes(value), false);
      const other = open().transformer;
      plugin.calls.splice(0);
      for (let i = 0; i < 3; i++) assert.deepEqual(Buffer.from((await other.open(sealed, at)).value), value);
      assert.deepEqual(plugin.calls, ['Decrypt']);
    });

    it('caches as many data keys as configured', async () => {
      const small = open({ cacheSize: 1 }).transformer;
      const sealed = [await small.seal(value, at), await small.seal(value, at)];
      plugin.calls.splice(0);
      for (const s of sealed) await small.open(s, at);
      assert.deepEqual(plugin.calls, ['Decrypt', 'Decrypt']);
    });

    it('reports events of data keys', async () => {
      const told: string[] = [];
      const observer: DataKeyObserver = {
        generated: (seconds) => told.push(seconds >= 0 ? 'generated' : 'wrong'),
        generationFailed: () => told.push('failed'),
        missed: () => told.push('missed'),
        filled: (share) => told.push(`filled ${share}`),
      };
      const provider = openKmsProvider(
        { version, name: 'vault', endpoint: plugin.endpoint, cacheSize: 4, timeoutMs: 2000 },
        observer,
      );
      providers.push(provider);
      const sealed = await open().transformer.seal(value, at);
      await provider.transformer.seal(value, at);
      for (let i = 0; i < 2; i++) await provider.transformer.open(sealed, at);
      assert.deepEqual(told, ['generated', 'filled 0.25', 'missed', 'filled 0.5']);
    });

    it('decrypts a value only in its own place, and nothing truncated or changed', async () => {
      const { transformer } = open();
      const sealed = Buffer.from(await transformer.seal(value, at));
      const changed = Buffer.from(sealed);
      changed[20]! ^= 1;
      for (const [bytes, path] of [
        [sealed, '/registry/secrets/default/b'],
        [changed, at],
        [sealed.subarray(0, 1), at],
        [sealed.subarray(0, 20), at],
        [Buffer.alloc(0), at],
      ] as const) {
        await assert.rejects(async () => open().transformer.open(bytes, path), ValueTransformError);
      }
    });

    it('fails with a clear error while the plugin does, and works again after', async () => {
      const provider = open({ timeoutMs: 200 });
      const sealed = await provider.transformer.seal(value, at);
      const fresh = open({ timeoutMs: 200 });
      for (const [mood, message] of [
        ['failing', /"vault" failed to .*: the vault is sealed/],
        ['silent', /"vault" failed to .*([Dd]eadline|no answer a moment ago)/],
      ] as const) {
        plugin.mood = mood;
        await assert.rejects(async () => fresh.transformer.open(sealed, at), message);
        await assert.rejects(async () => provider.transformer.seal(value, at), message);
        await assert.rejects(provider.check(), message);
        // What is decrypted already stays so.
        assert.deepEqual(Buffer.from((await provider.transformer.open(sealed, at)).value), value);
      }
      plugin.mood = 'well';
      plugin.calls.splice(0);
      await assert.rejects(fresh.check(), /no answer a moment ago/);
      assert.deepEqual(plugin.calls, []);
      while (
        await fresh.check().then(
          () => false,
          () => true,
        )
      )
        await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(Buffer.from((await fresh.transformer.open(sealed, at)).value), value);
    });

    it('retries soon after a timeout although the clock was set back', async () => {
      const provider = open({ timeoutMs: 200 });
      plugin.mood = 'silent';
      await assert.rejects(provider.check(), /"vault" failed to/);
      plugin.mood = 'well';
      const [wall, steady] = [Date.now, performance.now];
      try {
        Date.now = () => wall() - 3_600_000;
        performance.now = () => steady.call(performance) + 1000;
        await provider.check();
      } finally {
        [Date.now, performance.now] = [wall, steady];
      }
    });

    it("reads values of the plugin's older key", async () => {
      const provider = open();
      const sealed = await provider.transformer.seal(value, at);
      plugin.rotate();
      await provider.check();
      const opened = await provider.transformer.open(sealed, at);
      assert.deepEqual([Buffer.from(opened.value), opened.stale], [value, version === 2]);
    });

    it('reports that there is no plugin', async () => {
      const lonely = open({ endpoint: 'unix:///nonexistent/kms.sock', timeoutMs: 500 });
      await assert.rejects(lonely.check(), /"vault" failed to/);
    });
  });
}
