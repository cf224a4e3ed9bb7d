import { oneOf, notNegative, urlWith } from '../../checks.ts';
import { processGroup } from './manager-group.ts';

/** How the API server is reached. */
export const connectionOptions = processGroup('API server', [
  {
    name: 'clusterconfig',
    aliases: ['kubeconfig'],
    type: 'string',
    file: true,
    help: 'Cluster-config file with the address of the API server and the credentials; by default those of the pod that this runs in',
  },
  {
    name: 'master',
    type: 'string',
    check: urlWith('http', 'https'),
    help: 'Address of the API server; wins over the cluster-config file',
  },
  {
    name: 'cluster-api-qps',
    aliases: ['kube-api-qps'],
    type: 'float32',
    default: '20',
    help: 'Requests per second to the API server; below 0: no limit',
  },
  {
    name: 'cluster-api-burst',
    aliases: ['kube-api-burst'],
    type: 'int',
    default: '30',
    check: notNegative,
    help: 'Requests that may exceed that rate for a moment',
  },
  {
    name: 'cluster-api-content-type',
    aliases: ['kube-api-content-type'],
    type: 'string',
    default: 'application/vnd.kubernetes.protobuf',
    check: oneOf('application/vnd.kubernetes.protobuf', 'application/json'),
    help: 'Encoding of requests: application/vnd.kubernetes.protobuf or application/json',
  },
]);
