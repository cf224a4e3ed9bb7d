import { rejection, type FilterPlugin } from '../plugin.ts';

const REJECTED = rejection("node(s) didn't have free ports for the requested pod ports", true);

/** Ports of the node itself, which only one pod can have. */
export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  prepare: ({ info: { hostPorts } }) =>
    hostPorts.length === 0
      ? undefined
      : { filter: (node) => (hostPorts.every((port) => node.isPortFree(port)) ? undefined : REJECTED) },
  mayHelp: (event, { info }) =>
    (event.kind === 'node' && event.old === undefined) ||
    (event.kind === 'podRemoved' &&
      event.pod.hostPorts.some(({ port, protocol }) =>
        info.hostPorts.some((wanted) => wanted.port === port && wanted.protocol === protocol),
      )),
};
