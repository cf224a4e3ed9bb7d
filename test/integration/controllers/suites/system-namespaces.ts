import { namespaces } from '../../../../pkg/api/core/tokens.ts';
import { systemNamespacesController } from '../../../../pkg/controllers/system-namespaces/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const name = 'kube-node-lease';

export const systemNamespaces: ControllerSuite = {
  name: 'system-namespaces',
  define(host) {
    it('makes a namespace again that was deleted', async () => {
      await host.start(systemNamespacesController);
      const before = await host.client.get(namespaces, { name });
      await host.client.delete(namespaces, { name });
      const ending = await host.client.get(namespaces, { name });
      await host.client.update(namespaces, { ...ending, spec: { finalizers: [] } }, { subresource: 'finalize' });
      await until(async () => {
        const found = await host.client.get(namespaces, { name }).catch(() => undefined);
        return found !== undefined && found.metadata.uid !== before.metadata.uid;
      }, 'the namespace is there again');
    });
  },
};
