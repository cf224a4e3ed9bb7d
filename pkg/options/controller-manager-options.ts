import type { Option } from './option.ts';
import { autoscalingOptions } from './rows/manager/autoscaling.ts';
import { certificatesOptions } from './rows/manager/certificates.ts';
import { managerCloudOptions } from './rows/manager/cloud.ts';
import { connectionOptions } from './rows/manager/connection.ts';
import { controllersOptions } from './rows/manager/controllers.ts';
import { delegatedAccessOptions } from './rows/manager/delegated-access.ts';
import { leaderElectionOptions } from './rows/manager/leader-election.ts';
import { sameRows } from './rows/manager/manager-group.ts';
import { managerNodesOptions } from './rows/manager/nodes.ts';
import { managerServingOptions } from './rows/manager/serving.ts';
import { volumesOptions } from './rows/manager/volumes.ts';
import { generalOptions } from './rows/general.ts';
import { networkingOptions } from './rows/networking.ts';
import { observabilityOptions } from './rows/observability.ts';
import { versioningOptions } from './rows/versioning.ts';

/** Pages and exports that only an API server has. */
const serverPages = new Set(['enable-logs-handler', 'enable-apidoc-ui', 'tracing-otlp-endpoint']);

/** Every option of the controller manager, by group in the order of the reference. */
export const controllerManagerOptions: readonly Option[] = [
  ...sameRows(
    generalOptions,
    generalOptions.map(({ name }) => name),
  ),
  ...connectionOptions,
  ...controllersOptions,
  ...leaderElectionOptions,
  ...certificatesOptions,
  ...managerNodesOptions,
  ...autoscalingOptions,
  ...volumesOptions,
  ...sameRows(networkingOptions, ['service-cluster-ip-range']).map((row) => ({
    ...row,
    default: '',
    help: 'Range of cluster IPs, which no node may get for its pods; needs --allocate-node-cidrs',
  })),
  ...managerServingOptions,
  ...delegatedAccessOptions,
  ...sameRows(
    observabilityOptions,
    observabilityOptions.map(({ name }) => name).filter((name) => !serverPages.has(name)),
  ),
  ...sameRows(versioningOptions, ['feature-gates', 'emulated-version']).map((row) => ({
    ...row,
    inert: 'controllers work as those of release 1.36 do by default',
  })),
  ...managerCloudOptions,
];
