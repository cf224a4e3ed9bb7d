import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { taintNodesByConditionPlugin } from './plugin.ts';

describe('TaintNodesByCondition', () => {
  const after = async (taints: object[]) => {
    const node = { metadata: { name: 'n' }, spec: { taints } };
    await refusalOf(taintNodesByConditionPlugin(), requestFor('nodes', node));
    return node.spec.taints;
  };

  it('taints new nodes, once', async () => {
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    assert.deepEqual(await after([{ key: 'a', effect: 'NoSchedule' }]), [{ key: 'a', effect: 'NoSchedule' }, taint]);
    assert.deepEqual(await after([taint]), [taint]);
    assert.deepEqual(await after([{ ...taint, effect: 'NoExecute' }]), [{ ...taint, effect: 'NoExecute' }, taint]);
  });
});
