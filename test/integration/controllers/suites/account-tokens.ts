import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { selfSubjectReviews } from '../../../../pkg/api/authentication/tokens.ts';
import { configMaps, secrets, serviceAccounts } from '../../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import { RestClient } from '../../../../pkg/client/rest/rest-client.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { rootCaPublisherController } from '../../../../pkg/controllers/root-ca-publisher/controller.ts';
import { serviceAccountTokenController } from '../../../../pkg/controllers/serviceaccount-token/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const ROOT_CA = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';

export const accountTokens: ControllerSuite = {
  name: 'account tokens and certificates',
  define(host) {
    const config = (): ControllersConfig => {
      const keyFile = path.join(path.dirname(host.server.running.kubeconfig.path), 'pki', 'service-account.key');
      return {
        accounts: { rootCa: ROOT_CA, privateKey: readFileSync(keyFile, 'utf8'), tokenCleanUpMs: 1 },
        workers: { serviceAccountToken: 2 },
      } as ControllersConfig;
    };
    const dataOf = async (namespace: string): Promise<Record<string, string | null>> =>
      (await host.client.get(secrets, { namespace, name: 'token' })).data ?? {};
    const userOf = async (token: string): Promise<string | undefined> => {
      const client = new RestClient({
        server: new URL(host.server.running.url),
        insecureSkipTlsVerify: true,
        credentials: { token },
      });
      const review = await client.create(selfSubjectReviews, { metadata: {}, status: { userInfo: {} } });
      return review.status.userInfo.username;
    };

    it('fills a secret with a token that the server takes, until its account goes', async () => {
      const namespace = await host.namespace();
      await host.client.create(serviceAccounts, { metadata: { namespace, name: 'robot' } });
      await host.start((context) => serviceAccountTokenController.create(context, config())!);
      const annotations = { 'kubernetes.io/service-account.name': 'robot' };
      const type = 'kubernetes.io/service-account-token';
      await host.client.create(secrets, { metadata: { namespace, name: 'token', annotations }, type });
      await until(async () => (await dataOf(namespace))['token'] !== undefined, 'a token');
      const data = await dataOf(namespace);
      assert.equal(Buffer.from(data['ca.crt']!, 'base64').toString(), ROOT_CA);
      const token = Buffer.from(data['token']!, 'base64').toString();
      assert.equal(await userOf(token), `system:serviceaccount:${namespace}:robot`);
      await host.client.delete(serviceAccounts, { namespace, name: 'robot' });
      await until(
        async () => (await host.client.list(secrets, { namespace })).items.length === 0,
        'no secret of an account that is gone',
      );
    });

    it('publishes the certificates in every namespace, and again where they are changed or deleted', async () => {
      const namespace = await host.namespace();
      const name = { namespace, name: 'kube-root-ca.crt' };
      const isPublished = async (): Promise<boolean> =>
        (await unlessNotFound(host.client.get(configMaps, name)))?.data?.['ca.crt'] === ROOT_CA;
      await host.start((context) => rootCaPublisherController.create(context, config())!);
      await until(isPublished, 'the config map of a namespace that was there');
      await host.client.patch(configMaps, name, 'merge', { data: { 'ca.crt': 'x' } });
      await until(isPublished, 'the config map as it was');
      await host.client.delete(configMaps, name);
      await until(isPublished, 'the config map that was deleted');
    });
  },
};
