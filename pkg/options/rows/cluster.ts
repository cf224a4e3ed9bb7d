import { optionGroup } from '../option.ts';

/** What `up` runs beside the API server, so that the cluster moves. */
export const clusterOptions = optionGroup('Cluster', [
  {
    name: 'simulated-nodes',
    components: ['up'],
    type: 'string',
    default: '3',
    check: countOrFile,
    help: 'Number of simulated nodes, in two zones, with simulated volumes of a default storage class where there is no class, or a file with a list of Node objects; 0: none, nor are nodes simulated that ask for it by an annotation',
  },
  {
    name: 'scheduler',
    components: ['up'],
    type: 'bool',
    default: 'true',
    help: 'Give pods to nodes; without, another scheduler is to do it',
  },
  {
    name: 'ephemeral',
    components: ['up'],
    type: 'bool',
    default: 'false',
    help: 'Keep the data in a temporary directory, which the stop removes, and stop when the process that started this one ends; on a free port unless one is given',
  },
  {
    name: 'print-kubeconfig',
    components: ['up'],
    type: 'bool',
    default: 'false',
    help: 'When ready, write the kubeconfig to standard output, as one line of JSON, instead of the text for people',
  },
]);

const NODES_MAX = 5000;

function countOrFile(value: string): string | undefined {
  return /^\d+$/.test(value) && Number(value) > NODES_MAX ? `must not be above ${NODES_MAX}` : undefined;
}
