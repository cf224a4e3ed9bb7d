import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { podTopologyLabelsPlugin } from './plugin.ts';

const zone = { 'topology.kubernetes.io/zone': 'zone-a' };
const labels = { ...zone, 'topology.kubernetes.io/region': 'region-1' };
const plugin = podTopologyLabelsPlugin(
  lookupOf({
    nodes: [
      { metadata: { name: 'a', labels: { ...labels, 'topology.kubernetes.io/rack': '1', other: 'x' } } },
      { metadata: { name: 'b', labels: zone } },
      { metadata: { name: 'bare' } },
    ],
  }),
);

describe('PodTopologyLabels', () => {
  const bound = async (target: object, own?: object, resource = 'pods') => {
    const binding = { metadata: { name: 'p', namespace: 'ns', ...(own === undefined ? {} : { labels: own }) }, target };
    const subresource = resource === 'pods' ? 'binding' : '';
    assert.equal(await refusalOf(plugin, requestFor(resource, binding, { subresource })), undefined);
    return binding.metadata.labels;
  };

  it('copies zone and region of the node onto a binding', async () => {
    assert.deepEqual(await bound({ kind: 'Node', name: 'a' }), labels);
    assert.deepEqual(await bound({ name: 'b' }), zone);
    assert.deepEqual(await bound({ name: 'a' }, undefined, 'bindings'), labels);
  });

  it('overwrites what a binding has, and keeps the rest', async () => {
    const own = { 'topology.kubernetes.io/zone': 'elsewhere', app: 'web' };
    assert.deepEqual(await bound({ name: 'b' }, own), { ...zone, app: 'web' });
  });

  it('leaves bindings to nodes that are not there, or have no labels', async () => {
    assert.equal(await bound({ name: 'none' }), undefined);
    assert.equal(await bound({ name: 'bare' }), undefined);
    assert.equal(await bound({ kind: 'Minion', name: 'a' }), undefined);
  });

  it('copies them onto a pod that is created with its node', async () => {
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'a' } };
    await refusalOf(plugin, requestFor('pods', pod));
    assert.deepEqual((pod.metadata as { labels?: object }).labels, labels);
    const free = { metadata: { name: 'p' }, spec: {} };
    await refusalOf(plugin, requestFor('pods', free));
    assert.deepEqual(free.metadata, { name: 'p' });
  });
});
