import type { Pod } from '../../../generated/types/core-v1.ts';
import type { TableCondition, TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { summarizePod } from './status-text.ts';

const NONE = '<none>';

const ENDED: Readonly<Record<string, readonly TableCondition[]>> = {
  Succeeded: [
    { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  ],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

export const podTable: TableDefinition<Pod> = {
  columns: [
    NAME_COLUMN,
    { name: 'Ready', type: 'string', description: 'How many of the containers are ready, and how many there are.' },
    { name: 'Status', type: 'string', description: 'What the pod is doing, summed up from its containers.' },
    {
      name: 'Restarts',
      type: 'string',
      description: 'How often containers have been started again, and how long ago the last time was.',
    },
    AGE_COLUMN,
    { name: 'IP', type: 'string', priority: 1, description: 'Address of the pod in the cluster.' },
    { name: 'Node', type: 'string', priority: 1, description: 'Node that the pod runs on.' },
    { name: 'Nominated Node', type: 'string', priority: 1, description: 'Node where room is being made for the pod.' },
    {
      name: 'Readiness Gates',
      type: 'string',
      priority: 1,
      description: 'How many of the extra conditions for being ready are met, and how many there are.',
    },
  ],
  row(pod, nowMs) {
    const { metadata, spec, status } = pod;
    const summary = summarizePod(pod);
    const since = summary.lastRestart === undefined ? '' : ` (${age(summary.lastRestart, nowMs)} ago)`;
    const conditions = status.phase === undefined ? undefined : ENDED[status.phase];
    return {
      cells: [
        metadata.name ?? '',
        `${summary.readyContainers}/${summary.totalContainers}`,
        summary.status,
        `${summary.restarts}${since}`,
        age(metadata.creationTimestamp, nowMs),
        status.podIPs?.[0]?.ip || NONE,
        spec.nodeName || NONE,
        status.nominatedNodeName || NONE,
        readinessGatesText(pod),
      ],
      ...(conditions === undefined ? {} : { conditions }),
    };
  },
};

function readinessGatesText({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const met = new Set<string>();
  const seen = new Set<string>();
  for (const condition of status.conditions ?? []) {
    if (!seen.has(condition.type) && condition.status === 'True') met.add(condition.type);
    seen.add(condition.type);
  }
  return `${gates.filter((gate) => met.has(gate.conditionType)).length}/${gates.length}`;
}
