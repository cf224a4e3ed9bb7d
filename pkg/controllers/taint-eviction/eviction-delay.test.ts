import assert from 'node:assert/strict';
import { evictionDelay } from './eviction-delay.ts';

const taint = (key: string, value = '') => ({ key, value, effect: 'NoExecute' });
const exists = (key: string, tolerationSeconds?: number) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

describe('evictionDelay', () => {
  const cases = [
    ['no taints', [], [], Infinity],
    ['no toleration', [taint('a')], [], 0],
    ['a toleration of another taint', [taint('a')], [exists('b')], 0],
    ['a toleration of another effect', [taint('a')], [{ ...exists('a'), effect: 'NoSchedule' }], 0],
    ['a toleration for ever', [taint('a')], [exists('a')], Infinity],
    ['a toleration for some time', [taint('a')], [exists('a', 3)], 3000],
    ['a toleration for no time', [taint('a')], [exists('a', -1)], 0],
    [
      'the shortest of all taints',
      [taint('a'), taint('b'), taint('c')],
      [exists('a', 9), exists('b', 4), exists('c')],
      4000,
    ],
    ['one of two taints', [taint('a'), taint('b')], [exists('a', 9)], 0],
    ['the first toleration of a taint', [taint('a')], [exists('a', 9), exists('a', 2)], 9000],
    ['everything', [taint('a'), taint('b')], [{ operator: 'Exists' }], Infinity],
  ] as const;
  for (const [why, taints, tolerations, delayMs] of cases)
    it(`follows ${why}`, () => assert.equal(evictionDelay(taints, tolerations), delayMs));
});
