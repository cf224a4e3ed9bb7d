import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { limitPodHardAntiAffinityTopologyPlugin } from './plugin.ts';

describe('LimitPodHardAntiAffinityTopology', () => {
  const pod = (rule: string, ...topologyKeys: string[]) => ({
    metadata: { name: 'p', namespace: 'n' },
    spec: { affinity: { podAntiAffinity: { [rule]: topologyKeys.map((topologyKey) => ({ topologyKey })) } } },
  });
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
  const refused = (object: object, overrides = {}) =>
    refusalOf(limitPodHardAntiAffinityTopologyPlugin(), requestFor('pods', object, overrides));

  it('admits the topology of one node', async () => {
    assert.equal(await refused(pod(hard, 'kubernetes.io/hostname')), undefined);
    assert.equal(await refused({ metadata: { name: 'p' }, spec: {} }), undefined);
  });

  it('refuses wider topologies, also in updates', async () => {
    const words =
      '403 pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed';
    assert.equal(await refused(pod(hard, 'kubernetes.io/hostname', 'zone')), words);
    assert.equal(await refused(pod(hard, 'zone'), { operation: 'UPDATE' }), words);
  });

  it('leaves preferences and paths below pods alone', async () => {
    assert.equal(await refused(pod('preferredDuringSchedulingIgnoredDuringExecution', 'zone')), undefined);
    assert.equal(await refused(pod(hard, 'zone'), { operation: 'UPDATE', subresource: 'status' }), undefined);
  });
});
