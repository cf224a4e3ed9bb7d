import { configMaps, secrets } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { signClusterInfo } from './sign-cluster-info.ts';
import { TOKEN_SELECTION } from './token-secret.ts';

/** What programs read that know nothing but a token. */
const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' } as const;
const KEY = `${CLUSTER_INFO.namespace}/${CLUSTER_INFO.name}`;

export const bootstrapSignerController: ControllerDescriptor = {
  name: 'bootstrap-signer-controller',
  account: 'bootstrap-signer',
  resources: [configMaps, secrets],
  create: controllerOfClusterInfo,
};

/** Keeps a signature of the public cluster information by every bootstrap token that is for that. */
function controllerOfClusterInfo(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const tokens = informers.informer(secrets, TOKEN_SELECTION);
  const info = informers.informer(configMaps, {
    namespace: CLUSTER_INFO.namespace,
    fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
  });
  const controller = new QueueController(context, {
    name: 'bootstrap-signer',
    workers: 1,
    firstKeys: [KEY],
    reconcile: async () => {
      const current = info.lister.get(CLUSTER_INFO);
      if (current === undefined) return;
      const signed = signClusterInfo(current, tokens.lister.list(), clock.wallMs());
      if (signed !== undefined) await client.update(configMaps, signed);
    },
  });
  controller.follow(tokens, () => [KEY]);
  controller.follow(info, () => [KEY]);
  return controller;
}
