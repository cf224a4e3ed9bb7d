import { readControllersConfig } from '../../controllermanager/read-controllers-config.ts';
import { AccountToken } from '../../controllermanager/account-token.ts';
import { DiscoveredServed } from '../../controllermanager/discovered-resources.ts';
import { runControllers } from '../../controllermanager/run-controllers.ts';
import { systemClock } from '../../apimachinery/clock.ts';
import { clientContexts } from '../../controllers/controller-contexts.ts';
import type { ControllerDescriptor } from '../../controllers/controller-descriptor.ts';
import type { ControllersConfig } from '../../controllers/controllers-config.ts';
import { controllerDescriptors } from '../../controllers/descriptors.ts';
import type { Client } from '../../client/rest/client.ts';
import { controllerManagerOptions } from '../../options/controller-manager-options.ts';
import { selectedControllers } from '../../options/controller-names.ts';
import type { OptionValues } from '../../options/option.ts';
import type { Program } from './program.ts';
import type { Work, WorkContext } from './run-program.ts';

interface ManagerConfig {
  readonly descriptors: readonly ControllerDescriptor[];
  readonly config: ControllersConfig;
  /** Each controller acts as its own service account. */
  readonly separateAccounts: boolean;
  readonly startIntervalMs: number;
}

const ACCOUNTS = 'kube-system';

/** `binnacle controller-manager`: every controller, against any API server. */
export const controllerManager: Program<ManagerConfig> = {
  component: 'kube-controller-manager',
  configGroup: 'kubecontrollermanager.config.k8s.io',
  options: controllerManagerOptions,
  readWork: readManagerConfig,
  begin: manageControllers,
};

function readManagerConfig(options: OptionValues): ManagerConfig {
  const selected = new Set(selectedControllers(options.list('controllers')).map(({ name }) => name));
  return {
    descriptors: controllerDescriptors.filter(({ name }) => selected.has(name)),
    config: readControllersConfig(options),
    separateAccounts: options.bool('use-service-account-credentials'),
    startIntervalMs: options.durationMs('controller-start-interval'),
  };
}

function manageControllers(config: ManagerConfig, context: WorkContext): Work {
  const { clients, leadership, metrics, onError } = context;
  const accounts = new Map(config.descriptors.map(({ name, account }) => [name, account]));
  const tokens = config.separateAccounts ? clients.openLeading('tokens', leadership) : undefined;
  const opened = new Map<string, Client>();
  const clientOf = (controller: string): Client => {
    let client = opened.get(controller);
    if (client === undefined) {
      const name = accounts.get(controller);
      // One without an account acts as the manager itself.
      const own =
        tokens === undefined || name === undefined
          ? undefined
          : { tokenSource: new AccountToken(tokens, { namespace: ACCOUNTS, name }) };
      client = clients.openLeading(controller, leadership, own);
      opened.set(controller, client);
    }
    return client;
  };
  const contexts = clientContexts(clients.open('informers'), {
    clientOf,
    queueMetrics: metrics.queueMetrics,
    metrics: metrics.controllerMetrics,
    onError,
  });
  const served = new DiscoveredServed({ client: clients.open('discovery'), clock: systemClock, onError });
  const manager = runControllers({ ...config, contexts, served, clock: systemClock, onError });
  const stopping = new AbortController();
  const following = served.follow(stopping.signal);
  return {
    health: () => manager.health(),
    async stop() {
      stopping.abort();
      await Promise.all([manager.stop(), following]);
      await contexts.stop();
    },
  };
}
