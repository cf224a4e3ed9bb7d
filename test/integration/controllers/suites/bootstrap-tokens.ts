import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { configMaps, secrets } from '../../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import { bootstrapSignerController } from '../../../../pkg/controllers/bootstrap-tokens/bootstrap-signer.ts';
import { tokenCleanerController } from '../../../../pkg/controllers/bootstrap-tokens/token-cleaner.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const INFO = { namespace: 'kube-public', name: 'cluster-info' };
const SIGNATURE = 'jws-kubeconfig-abcdef';
const CONFIG = {} as ControllersConfig;

export const bootstrapTokens: ControllerSuite = {
  name: 'bootstrap tokens',
  define(host) {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const token = (id: string): { namespace: string; name: string } => ({
      namespace: 'kube-system',
      name: `bootstrap-token-${id}`,
    });
    const createToken = (id: string, more: Readonly<Record<string, string>>): Promise<unknown> => {
      const data = { 'token-id': id, 'token-secret': '0123456789abcdef', ...more };
      return host.client.create(secrets, {
        metadata: token(id),
        type: 'bootstrap.kubernetes.io/token',
        data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
      });
    };
    const isThere = async (id: string): Promise<boolean> =>
      (await unlessNotFound(host.client.get(secrets, token(id)))) !== undefined;
    const signature = async (): Promise<string | undefined> =>
      (await host.client.get(configMaps, INFO)).data?.[SIGNATURE];

    it('sign the information of the cluster, until they go', async () => {
      await host.client.create(configMaps, { metadata: INFO, data: { kubeconfig: 'content' } });
      await createToken('abcdef', { 'usage-bootstrap-signing': 'true' });
      await host.start((context) => bootstrapSignerController.create(context, CONFIG)!);
      await until(async () => (await signature()) !== undefined, 'a signature');
      const [header, content, hash] = (await signature())!.split('.');
      const input = `${header}.${Buffer.from('content').toString('base64url')}`;
      assert.equal(content, '');
      assert.equal(hash, createHmac('sha256', '0123456789abcdef').update(input).digest('base64url'));
      await host.client.patch(configMaps, INFO, 'merge', { data: { kubeconfig: 'other' } });
      await until(async () => !(await signature())!.endsWith(hash!), 'another signature');
      await host.client.delete(secrets, token('abcdef'));
      await until(async () => (await signature()) === undefined, 'no signature');
      await host.client.delete(configMaps, INFO);
    });

    it('are deleted when they expire', async () => {
      const seconds = (from: number): string => new Date(Date.now() + from * 1000).toISOString();
      await createToken('aaaaaa', { expiration: seconds(-60) });
      await createToken('bbbbbb', { expiration: seconds(1) });
      await createToken('cccccc', { expiration: seconds(3600) });
      await host.start((context) => tokenCleanerController.create(context, CONFIG)!);
      await until(async () => !(await isThere('aaaaaa')) && !(await isThere('bbbbbb')), 'the end of two tokens');
      assert.equal(await isThere('cccccc'), true);
      await host.client.delete(secrets, token('cccccc'));
    });
  },
};
