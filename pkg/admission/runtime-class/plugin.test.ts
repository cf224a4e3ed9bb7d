import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { mergeTolerations } from '../merge-tolerations.ts';
import { runtimeClassPlugin } from './plugin.ts';

describe('RuntimeClass', () => {
  const sandbox = {
    metadata: { name: 'sandbox' },
    handler: 'h',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { runtime: 'sandbox' }, tolerations: [{ key: 'sandbox', operator: 'Exists' }] },
  };
  const plugin = runtimeClassPlugin(
    lookupOf({ 'runtimeclasses.node.k8s.io': [sandbox, { metadata: { name: 'plain' }, handler: 'p' }] }),
  );
  const run = async (spec: object) => {
    const pod = { metadata: { name: 'p', namespace: 'd' }, spec };
    return (await refusalOf(plugin, requestFor('pods', pod))) ?? pod.spec;
  };

  it('adds overhead and placement', async () => {
    assert.deepEqual(await run({ runtimeClassName: 'sandbox', nodeSelector: { zone: 'a' } }), {
      runtimeClassName: 'sandbox',
      overhead: { cpu: '100m' },
      nodeSelector: { zone: 'a', runtime: 'sandbox' },
      tolerations: [{ key: 'sandbox', operator: 'Exists' }],
    });
    assert.deepEqual(await run({ runtimeClassName: 'plain' }), { runtimeClassName: 'plain' });
    assert.deepEqual(await run({}), {});
  });

  it('refuses what does not fit', async () => {
    const head = '403 pods "p" is forbidden: ';
    assert.equal(await run({ runtimeClassName: 'none' }), `${head}pod rejected: RuntimeClass "none" not found`);
    assert.equal(
      await run({ runtimeClassName: 'sandbox', overhead: { cpu: '1' } }),
      `${head}pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
    );
    assert.equal(
      await run({ overhead: { cpu: '1' } }),
      `${head}pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
    );
    assert.equal(
      await run({ runtimeClassName: 'sandbox', nodeSelector: { runtime: 'x' } }),
      `${head}conflict: runtimeClass.scheduling.nodeSelector[runtime] = sandbox; pod.spec.nodeSelector[runtime] = x`,
    );
  });
});

describe('mergeTolerations', () => {
  it('drops what another one covers', () => {
    const all = { operator: 'Exists' };
    const key = { key: 'a', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
    assert.deepEqual(mergeTolerations([key], [all]), [all]);
    assert.deepEqual(mergeTolerations([all], [key]), [all]);
    assert.deepEqual(mergeTolerations([key], [{ ...key }]), [{ ...key }]);
    const short = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    const long = { ...short, tolerationSeconds: 50 };
    assert.deepEqual(mergeTolerations([short], [long]), [long]);
    assert.deepEqual(mergeTolerations([key], [{ ...key, value: 'y' }]), [key, { ...key, value: 'y' }]);
    const bare = { key: 'a', value: 'x', effect: 'NoSchedule' };
    assert.deepEqual(mergeTolerations([bare], [{ ...bare, effect: '' }]), [bare, { ...bare, effect: '' }]);
  });

  it('keeps the first of equal ones', () => {
    const [a, b] = [
      { key: 'a', operator: 'Exists' },
      { key: 'b', operator: 'Exists' },
    ];
    assert.deepEqual(mergeTolerations([a, b], [{ ...a, effect: '' }]), [a, b]);
  });

  it('does not compare lists that are too long', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      key: 'a',
      operator: 'Equal',
      value: String(i),
      effect: 'NoSchedule',
    }));
    assert.equal(mergeTolerations(many, [{ key: 'b', operator: 'Exists' }]).length, 50_001);
  });
});
