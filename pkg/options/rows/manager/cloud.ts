import { cloudOptions } from '../cloud.ts';
import { managerGroup, sameRows } from './manager-group.ts';

const noProvider = 'there is no cloud provider in this program';

/** The cloud that a cluster runs in. */
export const managerCloudOptions = [
  ...sameRows(cloudOptions, ['cloud-provider', 'cloud-config', 'cloud-container-registry-config']),
  ...managerGroup('Cloud provider', [
    {
      name: 'external-cloud-volume-plugin',
      type: 'string',
      inert: noProvider,
      help: 'Provider whose volumes are used when the provider is external',
    },
    {
      name: 'allow-untagged-cloud',
      type: 'bool',
      default: 'false',
      inert: noProvider,
      help: 'Run in a cloud that has no name for the cluster',
    },
    {
      name: 'cluster-name',
      type: 'string',
      default: 'kubernetes',
      help: 'Name of the cluster, which load balancers and routes carry',
    },
  ]),
];
