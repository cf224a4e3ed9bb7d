import assert from 'node:assert/strict';
import { configMaps } from '../../../../pkg/api/core/tokens.ts';
import { legacyTokenTrackingController } from '../../../../pkg/controllers/legacy-token-tracking/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const name = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };

export const legacyTokenTracking: ControllerSuite = {
  name: 'legacy-token-tracking',
  define(host) {
    it('says since when, and again where the day is replaced or the object deleted', async () => {
      const since = async () => (await host.client.get(configMaps, name).catch(() => undefined))?.data?.['since'] ?? '';
      await host.start(legacyTokenTrackingController);
      assert.match(await since(), /^\d{4}-\d\d-\d\d$/);
      await host.client.patch(configMaps, name, 'merge', { data: { since: '2024-02-29' } });
      await host.client.patch(configMaps, name, 'merge', { data: { since: 'soon' } });
      await until(async () => /^\d/.test(await since()), 'a day instead of what was none');
      await host.client.delete(configMaps, name);
      await until(async () => /^\d/.test(await since()), 'the object that was deleted');
    });
  },
};
