import { serviceAccounts } from '../../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import { serviceAccountController } from '../../../../pkg/controllers/serviceaccount/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

export const serviceAccount: ControllerSuite = {
  name: 'serviceaccount',
  define(host) {
    const hasAccount = async (namespace: string): Promise<boolean> =>
      (await unlessNotFound(host.client.get(serviceAccounts, { namespace, name: 'default' }))) !== undefined;

    it('makes default accounts in namespaces that are there, in new ones, and again where one is deleted', async () => {
      const before = await host.namespace();
      await host.start(serviceAccountController);
      await until(() => hasAccount(before), 'the account of a namespace that was there');
      const later = await host.namespace();
      await until(() => hasAccount(later), 'the account of a namespace that came later');
      await host.client.delete(serviceAccounts, { namespace: before, name: 'default' });
      await until(() => hasAccount(before), 'the account that was deleted');
    });
  },
};
