import { configMaps, pods, secrets, serviceAccounts } from '../../api/core/tokens.ts';
import { NAME, NAMESPACE } from '../legacy-token-tracking/reconcile.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { TOKEN_SECRET_TYPE } from '../serviceaccount-token/token-secret.ts';
import { reconcile } from './reconcile.ts';

const PERIOD_MS = 24 * 3600_000;
const KEY = 'all';

export const legacyTokenCleanerController: ControllerDescriptor = {
  name: 'legacy-serviceaccount-token-cleaner-controller',
  account: 'legacy-service-account-token-cleaner',
  resources: [secrets, serviceAccounts, pods, configMaps],
  create: (context, { accounts }) => controllerOfLegacyTokens(context, accounts.tokenCleanUpMs),
};

/** Once a day: marks generated token secrets that were not used for long as invalid, and later deletes them. */
function controllerOfLegacyTokens(context: ControllerContext, cleanUpMs: number): Controller {
  const { client, clock, informers } = context;
  const tokens = informers.informer(secrets, { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
  const accounts = informers.informer(serviceAccounts);
  const podInformer = informers.informer(pods);
  const tracking = informers.informer(configMaps, { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` });
  const controller = new QueueController(context, {
    name: 'legacy-serviceaccount-token-cleaner',
    workers: 1,
    firstKeys: [KEY],
    reconcile: async () => {
      await reconcile({
        nowMs: clock.wallMs(),
        cleanUpMs,
        tracking: () => tracking.lister.get({ namespace: NAMESPACE, name: NAME }),
        secrets: () => tokens.lister.list(),
        accountOf: (name) => accounts.lister.get(name),
        podsIn: (namespace) => podInformer.lister.list({ namespace }),
        label: ({ metadata: { namespace = '', name = '', uid } }, labels) =>
          client.patch(secrets, { namespace, name }, 'strategic', { metadata: { uid, labels } }),
        deleteSecret: ({ metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }) =>
          client.delete(secrets, { namespace, name }, { preconditions: { uid, resourceVersion } }),
        onError: (error, secret) =>
          context.onError(
            error,
            `legacy-serviceaccount-token-cleaner ${secret.metadata.namespace}/${secret.metadata.name}`,
          ),
      });
      return PERIOD_MS;
    },
  });
  controller.follow(tokens, () => []);
  controller.follow(accounts, () => []);
  controller.follow(podInformer, () => []);
  controller.follow(tracking, () => []);
  return controller;
}
