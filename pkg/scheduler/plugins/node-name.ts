import { rejection, type FilterPlugin } from '../plugin.ts';

const REJECTED = rejection("node(s) didn't match the requested node name", false);

/** `spec.nodeName`. */
export const nodeName: FilterPlugin = {
  name: 'NodeName',
  prepare: ({ info }) =>
    info.nodeName === '' ? undefined : { filter: ({ name }) => (name === info.nodeName ? undefined : REJECTED) },
  mayHelp: (event, { info }) => event.kind === 'node' && event.node.metadata.name === info.nodeName,
};
