import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { configMaps, secrets } from '../../api/core/tokens.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { bootstrapSignerController } from './bootstrap-signer.ts';
import { tokenCleanerController } from './token-cleaner.ts';

const INFO = { namespace: 'kube-public', name: 'cluster-info' };
const SECRET = '0123456789abcdef';

describe('the controllers of bootstrap tokens', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const token = (id: string, more: Record<string, string> = {}): Promise<unknown> => {
    const data = { 'token-id': id, 'token-secret': SECRET, 'usage-bootstrap-signing': 'true', ...more };
    return fixture.client.create(secrets, {
      metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
    });
  };
  const inMs = (ms: number): string => formatTime(new Date(fixture.clock.wallMs() + ms));
  const left = async (): Promise<string[]> =>
    (await fixture.client.list(secrets)).items.map(({ metadata }) => metadata.name!.slice(-6)).toSorted();

  describe('the token cleaner', () => {
    it('deletes tokens when they expire, also those whose end cannot be read', async () => {
      await token('past00', { expiration: inMs(-1000) });
      await token('never0', { expiration: 'never' });
      await token('ages00');
      await token('soon00', { expiration: inMs(60_000) });
      await fixture.client.create(secrets, {
        metadata: { namespace: 'kube-system', name: 'another' },
        type: 'Opaque',
        data: { expiration: Buffer.from('never').toString('base64') },
      });
      await fixture.start(tokenCleanerController.create(fixture.context, {} as ControllersConfig)!);
      assert.deepEqual(await left(), ['ages00', 'nother', 'soon00']);
      await fixture.clock.advance(59_000);
      assert.equal((await left()).length, 3);
      await fixture.clock.advance(1000);
      assert.deepEqual([await left(), fixture.errors], [['ages00', 'nother'], []]);
    });
  });

  describe('the bootstrap signer', () => {
    const info = (data: Record<string, string>): Promise<unknown> =>
      fixture.client.create(configMaps, { metadata: INFO, data });
    const data = async (): Promise<unknown> => (await fixture.client.get(configMaps, INFO)).data;
    const start = (): Promise<void> =>
      fixture.start(bootstrapSignerController.create(fixture.context, {} as ControllersConfig)!);
    const signature = (id: string, content: string): string => {
      const head = Buffer.from(`{"alg":"HS256","kid":"${id}"}`).toString('base64url');
      const input = `${head}.${Buffer.from(content).toString('base64url')}`;
      return `${head}..${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
    };

    it('signs with the tokens that are for it, and takes away all other signatures', async () => {
      await token('aaaaaa');
      await token('nosign', { 'usage-bootstrap-signing': 'false' });
      await token('past00', { expiration: inMs(-1000) });
      await token('other0', { 'token-id': 'bbbbbb' });
      await info({ kubeconfig: 'text', 'jws-kubeconfig-gone00': 'x', mine: 'y' });
      await start();
      assert.deepEqual(await data(), {
        kubeconfig: 'text',
        mine: 'y',
        'jws-kubeconfig-aaaaaa': signature('aaaaaa', 'text'),
      });
    });

    it('signs what is changed, and takes away the signature of a token that goes', async () => {
      await token('aaaaaa');
      await info({ kubeconfig: 'old' });
      await start();
      const current = await fixture.client.get(configMaps, INFO);
      await fixture.client.update(configMaps, { ...current, data: { ...current.data, kubeconfig: 'new' } });
      await fixture.clock.advance(0);
      assert.deepEqual(await data(), {
        kubeconfig: 'new',
        'jws-kubeconfig-aaaaaa': signature('aaaaaa', 'new'),
      });
      await fixture.client.delete(secrets, { namespace: 'kube-system', name: 'bootstrap-token-aaaaaa' });
      await fixture.clock.advance(0);
      assert.deepEqual([await data(), fixture.errors], [{ kubeconfig: 'new' }, []]);
    });

    it('leaves a config map without content, and makes none', async () => {
      await token('aaaaaa');
      await start();
      assert.equal(fixture.client.writes.filter(({ resource }) => resource === 'configmaps').length, 0);
      await info({ mine: 'y' });
      await fixture.clock.advance(0);
      assert.deepEqual(await data(), { mine: 'y' });
    });
  });
});
