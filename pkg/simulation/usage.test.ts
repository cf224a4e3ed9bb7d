import assert from 'node:assert/strict';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import { nodeUsage, podUsage } from './usage.ts';

const simulated = {
  metadata: { name: 'n', annotations: { 'simulation.binnacle.io/node': 'true' } },
} as unknown as Node;

describe('usage of simulated pods', () => {
  const pod = (annotations: Record<string, string> = {}, running: readonly string[] = ['a', 'b']): Pod => ({
    metadata: { name: 'p', annotations },
    spec: {
      containers: [
        { name: 'a', resources: { requests: { cpu: '300m', memory: '1Gi' } } },
        { name: 'b', resources: {} },
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: running.map((name) => ({ name, state: { running: {} } })),
    } as unknown as Pod['status'],
  });
  const used = (of: Pod, node = simulated): string[] | undefined =>
    podUsage(of, node)?.map(({ name, usage }) => `${name} ${usage!['cpu']} ${usage!['memory']}`);

  it('is half of the requests, or a little', () => {
    assert.deepEqual(used(pod()), ['a 150m 512Mi', 'b 10m 32Mi']);
  });

  it('is what annotations say, of one container or all', () => {
    const annotations = {
      'simulation.binnacle.io/cpu-usage': '2',
      'simulation.binnacle.io/cpu-usage.b': '500m',
      'simulation.binnacle.io/memory-usage': 'much',
    };
    assert.deepEqual(used(pod(annotations)), ['a 2 512Mi', 'b 500m 32Mi']);
  });

  it('counts what runs, on nodes that are simulated and have not failed', () => {
    assert.deepEqual(used(pod({}, ['b'])), ['b 10m 32Mi']);
    assert.equal(used({ ...pod(), status: { phase: 'Succeeded' } as Pod['status'] }), undefined);
    assert.equal(used(pod(), { metadata: { name: 'real' } } as Node), undefined);
    const { annotations } = simulated.metadata;
    const failed = {
      metadata: { annotations: { ...annotations, 'simulation.binnacle.io/failed': 'true' } },
    } as unknown as Node;
    assert.equal(used(pod(), failed), undefined);
  });

  it('is the sum of all containers for a node', () => {
    assert.deepEqual(nodeUsage(simulated, podUsage(pod(), simulated)!), { cpu: '260m', memory: '800Mi' });
    assert.equal(nodeUsage({ metadata: { name: 'real' } } as Node, []), undefined);
  });
});
