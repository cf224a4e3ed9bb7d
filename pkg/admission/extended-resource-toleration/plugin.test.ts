import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { extendedResourceTolerationPlugin } from './plugin.ts';

describe('ExtendedResourceToleration', () => {
  const after = async (spec: object, overrides = {}) => {
    const pod = { metadata: { name: 'p', namespace: 'n' }, spec: { ...spec } as { tolerations?: object[] } };
    assert.equal(await refusalOf(extendedResourceTolerationPlugin(), requestFor('pods', pod, overrides)), undefined);
    return pod.spec.tolerations;
  };
  const asking = (...names: string[]) => ({
    name: 'c',
    resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
  });

  it('tolerates the taints of the requested resources, by name', async () => {
    const spec = { containers: [asking('example.com/gpu', 'cpu')], initContainers: [asking('another.com/fpga')] };
    assert.deepEqual(await after(spec), [
      { key: 'another.com/fpga', operator: 'Exists' },
      { key: 'example.com/gpu', operator: 'Exists' },
    ]);
  });

  it('adds to what is there, once', async () => {
    const own = { key: 'example.com/gpu', operator: 'Exists' };
    assert.deepEqual(
      await after({ containers: [asking('example.com/gpu')], tolerations: [own] }, { operation: 'UPDATE' }),
      [own],
    );
    const narrow = { ...own, effect: 'NoSchedule' };
    assert.deepEqual(await after({ containers: [asking('example.com/gpu')], tolerations: [narrow] }), [narrow, own]);
  });

  it('adds nothing for ordinary resources and on paths below pods', async () => {
    assert.equal(await after({ containers: [asking('cpu', 'memory', 'hugepages-2Mi')] }), undefined);
    assert.equal(
      await after({ containers: [asking('example.com/gpu')] }, { operation: 'UPDATE', subresource: 'status' }),
      undefined,
    );
  });
});
