import { optionGroup } from '../option.ts';

const noProvider = 'there is no cloud provider in this server';

/** Options of cloud providers, accepted so that existing manifests start the server. */
export const cloudOptions = optionGroup('Cloud provider', [
  { name: 'cloud-provider', type: 'string', inert: noProvider, help: 'Name of the cloud provider' },
  { name: 'cloud-config', type: 'string', inert: noProvider, help: 'Configuration file of the cloud provider' },
  {
    name: 'cloud-container-registry-config',
    aliases: ['azure-container-registry-config'],
    type: 'string',
    inert: noProvider,
    help: 'Configuration file of a container registry of the cloud provider',
  },
  {
    name: 'cloud-provider-gce-lb-src-cidrs',
    type: 'stringSlice',
    inert: noProvider,
    help: 'Ranges from which load balancers of the cloud provider send traffic',
  },
  {
    name: 'cloud-provider-gce-l7lb-src-cidrs',
    type: 'stringSlice',
    inert: noProvider,
    help: 'Ranges from which its HTTP load balancers send traffic',
  },
  { name: 'ssh-user', type: 'string', inert: 'nodes are reached directly', help: 'User of SSH tunnels to nodes' },
  { name: 'ssh-keyfile', type: 'string', inert: 'nodes are reached directly', help: 'Key of SSH tunnels to nodes' },
]);
