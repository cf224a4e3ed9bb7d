import { longerThanZero, oneOf } from '../../checks.ts';
import { processGroup } from './manager-group.ts';

/** Which of several managers works. */
export const leaderElectionOptions = processGroup('Leader election', [
  { name: 'leader-elect', type: 'bool', default: 'true', help: 'Work only while holding the lock' },
  {
    name: 'leader-elect-lease-duration',
    type: 'duration',
    default: '15s',
    check: longerThanZero,
    help: 'How long others wait after the last renewal before they take over',
  },
  {
    name: 'leader-elect-renew-deadline',
    type: 'duration',
    default: '10s',
    check: longerThanZero,
    help: 'How long the leader tries to renew before it stops; below the lease duration',
  },
  {
    name: 'leader-elect-retry-period',
    type: 'duration',
    default: '2s',
    check: longerThanZero,
    help: 'Time between two attempts to take or renew the lock',
  },
  {
    name: 'leader-elect-resource-lock',
    type: 'string',
    default: 'leases',
    check: oneOf('leases', 'endpoints', 'configmaps', 'endpointsleases', 'configmapsleases'),
    help: 'Kind of the object that is the lock: leases, endpoints, configmaps, or endpointsleases and configmapsleases to go over to leases',
  },
  {
    name: 'leader-elect-resource-name',
    type: 'string',
    default: 'kube-controller-manager',
    help: 'Name of that object',
  },
  {
    name: 'leader-elect-resource-namespace',
    type: 'string',
    default: 'kube-system',
    help: 'Namespace of that object',
  },
  {
    name: 'enable-leader-migration',
    type: 'bool',
    default: 'false',
    inert: 'no controller moves to another manager',
    help: 'Hand controllers over to a cloud controller manager',
  },
  {
    name: 'leader-migration-config',
    type: 'string',
    inert: 'no controller moves to another manager',
    help: 'File that says which controllers are handed over',
  },
]);
