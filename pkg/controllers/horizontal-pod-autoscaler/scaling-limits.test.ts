import assert from 'node:assert/strict';
import type { HorizontalPodAutoscalerBehavior } from '../../generated/types/autoscaling-v2.ts';
import { AutoscalerConditions } from './autoscaler-conditions.ts';
import { ScalingHistory } from './scaling-history.ts';
import { limitReplicas } from './scaling-limits.ts';

const MINUTE_MS = 60_000;

describe('limits of scaling', () => {
  let nowMs: number;
  let history: ScalingHistory;
  beforeEach(() => {
    nowMs = 0;
    history = new ScalingHistory(() => nowMs);
  });

  /** What is done, and the reasons of `AbleToScale` and `ScalingLimited`. */
  const limited = (
    desired: number,
    current: number,
    behavior?: HorizontalPodAutoscalerBehavior,
    max = 200,
  ): readonly [number, ...string[]] => {
    const conditions = new AutoscalerConditions([], 'now');
    const bounds = { current, min: 2, max, downscaleDelayMs: 5 * MINUTE_MS };
    const replicas = limitReplicas(desired, behavior, bounds, history, conditions);
    return [replicas, ...conditions.all.map(({ status, reason }) => `${status} ${reason}`)];
  };
  const rules = (more: object): { stabilizationWindowSeconds: number } => ({ stabilizationWindowSeconds: 0, ...more });
  const percent = (value: number): object => ({ policies: [{ type: 'Percent', value, periodSeconds: 60 }] });

  it('are the bounds and twice the number without a behavior', () => {
    const ready = 'True ReadyForNewScale';
    assert.deepEqual(limited(30, 10), [20, ready, 'True ScaleUpLimit']);
    assert.deepEqual(limited(30, 10, undefined, 15), [15, ready, 'True TooManyReplicas']);
    assert.deepEqual(limited(4, 1), [4, 'True ScaleDownStabilized', 'True ScaleUpLimit']);
  });

  it('are the bounds where less is wanted than they allow', () => {
    assert.deepEqual(limited(1, 4), [2, 'True ReadyForNewScale', 'True TooFewReplicas']);
  });

  it('are the most of several policies, the least of them, or none at all', () => {
    const policies = [
      { type: 'Pods', value: 1, periodSeconds: 60 },
      { type: 'Percent', value: 50, periodSeconds: 60 },
    ];
    const up = (selectPolicy: string): readonly [number, ...string[]] =>
      limited(50, 10, { scaleUp: rules({ policies, selectPolicy }), scaleDown: rules({}) });
    const down = (selectPolicy: string): readonly [number, ...string[]] =>
      limited(3, 10, { scaleUp: rules({}), scaleDown: rules({ policies, selectPolicy }) });
    assert.deepEqual([up('Max')[0], up('Min')[0], up('Disabled')[0]], [15, 11, 10]);
    history = new ScalingHistory(() => nowMs);
    assert.deepEqual([down('Max')[0], down('Min')[0], down('Disabled')[0]], [5, 9, 10]);
    assert.deepEqual(down('Disabled').slice(1), ['True ReadyForNewScale', 'True ScaleDownLimit']);
  });

  // 100 * (1 + 10 / 100) is a little more than 110, and 30 * (1 - 80 / 100) a little less than 6.
  it('round percent as floating point has them', () => {
    assert.equal(limited(200, 100, { scaleUp: rules(percent(10)), scaleDown: rules({}) })[0], 111);
    history = new ScalingHistory(() => nowMs);
    assert.equal(limited(2, 30, { scaleUp: rules({}), scaleDown: rules(percent(80)) })[0], 5);
  });

  it('count what was done within the period of a policy', () => {
    const behavior = { scaleUp: rules(percent(50)), scaleDown: rules({}) };
    assert.equal(limited(100, 10, behavior)[0], 15);
    history.changed(5);
    assert.equal(limited(100, 15, behavior)[0], 15);
    nowMs = 2 * MINUTE_MS;
    assert.equal(limited(100, 15, behavior)[0], 23);
  });

  it('are the lowest and the highest recommendation of the windows', () => {
    const behavior = { scaleUp: rules({ stabilizationWindowSeconds: 60 }), scaleDown: rules({}) };
    history.recommend(6);
    nowMs = 1000;
    assert.deepEqual(limited(12, 5, behavior).slice(0, 2), [6, 'True ScaleUpStabilized']);
    const slow = { scaleUp: rules({}), scaleDown: rules({ stabilizationWindowSeconds: 300 }) };
    nowMs = 2000;
    assert.deepEqual(limited(3, 10, slow).slice(0, 2), [10, 'True ScaleDownStabilized']);
  });
});
