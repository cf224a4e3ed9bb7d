import { longerThanZero, oneOf, port } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Kinds of addresses in the status of nodes. */
const nodeAddressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'] as const;

/** Connections to the agents of nodes. */
export const nodesOptions = optionGroup('Connections to nodes', [
  {
    name: 'nodeagent-https',
    aliases: ['kubelet-https'],
    type: 'bool',
    default: 'true',
    help: 'Node agents are called over HTTPS',
  },
  {
    name: 'nodeagent-preferred-address-types',
    aliases: ['kubelet-preferred-address-types'],
    type: 'stringSlice',
    default: nodeAddressTypes.join(','),
    check: oneOf(...nodeAddressTypes),
    help: 'Kinds of addresses of a node in the order in which they are tried',
  },
  {
    name: 'nodeagent-port',
    aliases: ['kubelet-port'],
    type: 'uint',
    default: '10250',
    check: port,
    deprecated: 'nodes report the port of their agent',
    help: 'Port of agents whose node reports none',
  },
  {
    name: 'nodeagent-read-only-port',
    aliases: ['kubelet-read-only-port'],
    type: 'uint',
    default: '10255',
    check: port,
    inert: 'agents are called at the port that their node reports, or at --nodeagent-port',
    help: 'Port of agents that answers without asking who it is',
  },
  {
    name: 'nodeagent-timeout',
    aliases: ['kubelet-timeout'],
    type: 'duration',
    default: '5s',
    check: longerThanZero,
    help: 'How long connecting to an agent may take',
  },
  {
    name: 'nodeagent-certificate-authority',
    aliases: ['kubelet-certificate-authority'],
    type: 'string',
    file: true,
    help: 'Authorities that verify the agents; without, they are not verified',
  },
  {
    name: 'nodeagent-client-certificate',
    aliases: ['kubelet-client-certificate'],
    type: 'string',
    file: true,
    help: 'Client certificate with which agents are called',
  },
  {
    name: 'nodeagent-client-key',
    aliases: ['kubelet-client-key'],
    type: 'string',
    file: true,
    help: 'Private key of that certificate',
  },
]);
