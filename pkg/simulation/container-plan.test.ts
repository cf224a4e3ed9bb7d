import assert from 'node:assert/strict';
import type { Pod } from '../generated/types/core-v1.ts';
import { containerPlan } from './container-plan.ts';

function plan(
  command: readonly string[],
  parts: { annotations?: Record<string, string>; restartPolicy?: string; init?: boolean } = {},
): string {
  const { annotations = {}, restartPolicy = 'Always', init = false } = parts;
  const container = { name: 'main', command: [...command], resources: {} };
  const pod: Pod = {
    metadata: { name: 'p', annotations },
    spec: { containers: [container], restartPolicy },
    status: {},
  };
  const { runMs, exitCode, output } = containerPlan(pod, container, init);
  return [runMs, exitCode, ...output.map(({ atMs, line }) => `${atMs}:${line}`)].join(' ');
}

describe('containerPlan', () => {
  const commands: readonly (readonly [command: readonly string[], result: string])[] = [
    [[], 'Infinity 0'],
    [['true'], '0 0'],
    [['/bin/false'], '0 1'],
    [['sleep', '5'], '5000 0'],
    [['sleep', '1.5m'], '90000 0'],
    [['sleep', 'infinity'], 'Infinity 0'],
    [['nginx', '-g', 'daemon off;'], 'Infinity 0'],
    [['sh', '-c', 'exit 3'], '0 3'],
    [['sh', '-c', 'exit 256'], '0 0'],
    [['/bin/bash', '-ec', 'echo "hello there"; sleep 2 && echo bye\nexit 1'], '2000 1 0:hello there 2000:bye'],
    [['sh', '-c', 'sleep 1; false'], '1000 1'],
    [['sh', '-c', 'false; exit'], '0 1'],
    [['sh', '-c', 'while true; do date; done'], 'Infinity 0'],
    [['sleep', 'x'], 'Infinity 0'],
  ];
  for (const [command, result] of commands)
    it(`reads ${JSON.stringify(command.join(' '))}`, () => assert.equal(plan(command), result));

  it('ends what it does not understand after a moment where a pod is to end by itself', () => {
    assert.equal(plan(['perl'], { restartPolicy: 'Never' }), '1000 0');
    assert.equal(plan(['migrate'], { init: true }), '1000 0');
  });

  it('goes by annotations first, by those of the container before those of the pod', () => {
    const annotations = {
      'simulation.binnacle.io/run-seconds': '7',
      'simulation.binnacle.io/exit-code': '4',
      'simulation.binnacle.io/exit-code.main': '5',
    };
    assert.equal(plan(['sleep', '1'], { annotations }), '7000 5');
    assert.equal(plan([], { annotations: { 'simulation.binnacle.io/exit-code': '1' } }), '0 1');
    assert.equal(plan([], { annotations: { 'simulation.binnacle.io/exit-code': 'x' } }), 'Infinity 0');
  });
});
