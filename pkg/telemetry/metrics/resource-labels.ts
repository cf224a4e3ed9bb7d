import type { Labels } from './metric-family.ts';

/** Group and resource of `deployments.apps`, as separate labels. */
export function resourceLabels(name: string): Labels {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}
