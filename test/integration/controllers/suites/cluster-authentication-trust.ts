import assert from 'node:assert/strict';
import { configMaps } from '../../../../pkg/api/core/tokens.ts';
import { clusterAuthenticationTrustController } from '../../../../pkg/controllers/cluster-authentication-trust/controller.ts';
import { TestAuthority } from '../../../../pkg/net/certificates-testing.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const name = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

export const clusterAuthenticationTrust: ControllerSuite = {
  name: 'cluster-authentication-trust',
  define(host) {
    it('publishes authorities beside those of other servers, and again after their removal', async () => {
      const [own, other] = await Promise.all([TestAuthority.create(), TestAuthority.create()]);
      const bundle = async () => (await host.client.get(configMaps, name)).data?.['client-ca-file'];
      await host.client.create(configMaps, { metadata: name, data: { 'client-ca-file': other.pem } });
      await host.start((context) => clusterAuthenticationTrustController(context, () => ({ clientCa: own.pem })));
      assert.equal(await bundle(), other.pem + own.pem);
      await host.client.patch(configMaps, name, 'merge', { data: { 'client-ca-file': null } });
      await until(async () => (await bundle()) === own.pem, 'the authority is published again');
    });
  },
};
