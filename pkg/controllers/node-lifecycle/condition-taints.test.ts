import assert from 'node:assert/strict';
import type { Node, Taint } from '../../generated/types/core-v1.ts';
import { conditionTaints } from './condition-taints.ts';

const taint = (key: string, effect = 'NoSchedule'): Taint => ({ key: `node.kubernetes.io/${key}`, effect });

describe('conditionTaints', () => {
  interface Case {
    readonly why: string;
    readonly conditions?: readonly string[];
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
    readonly add?: readonly Taint[];
    readonly remove?: readonly Taint[];
  }
  const cases: readonly Case[] = [
    {
      why: 'a node that is ready',
      conditions: ['Ready=True'],
      taints: [taint('not-ready')],
      remove: [taint('not-ready')],
    },
    { why: 'a node without conditions', taints: [taint('not-ready')], remove: [taint('not-ready')] },
    { why: 'a node that is not ready', conditions: ['Ready=False'], add: [taint('not-ready')] },
    {
      why: 'a node that is lost',
      conditions: ['Ready=Unknown', 'MemoryPressure=Unknown'],
      taints: [taint('not-ready')],
      add: [taint('unreachable')],
      remove: [taint('not-ready')],
    },
    {
      why: 'pressure of every kind',
      conditions: ['MemoryPressure=True', 'DiskPressure=True', 'PIDPressure=True', 'NetworkUnavailable=True'],
      add: ['memory-pressure', 'disk-pressure', 'pid-pressure', 'network-unavailable'].map((key) => taint(key)),
    },
    { why: 'a cordoned node', unschedulable: true, add: [taint('unschedulable')] },
    { why: 'a node that is cordoned no longer', taints: [taint('unschedulable')], remove: [taint('unschedulable')] },
    { why: 'taints of others', taints: [taint('own'), taint('not-ready', 'NoExecute'), taint('own', 'NoExecute')] },
    { why: 'conditions of others', conditions: ['constructor=True', 'Own=True'] },
  ];
  for (const { why, conditions = [], taints = [], unschedulable = false, add = [], remove = [] } of cases)
    it(`follows ${why}`, () => {
      const node = {
        metadata: { name: 'n' },
        spec: { taints, unschedulable },
        status: {
          conditions: conditions.map((text) => {
            const [type, status] = text.split('=');
            return { type, status };
          }),
        },
      } as Node;
      assert.deepEqual(conditionTaints(node), { add, remove });
    });
});
