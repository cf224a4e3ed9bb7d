import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { nodeSelectors } from './configuration.ts';
import { podNodeSelectorPlugin } from './plugin.ts';

describe('PodNodeSelector', () => {
  const namespace = (name: string, selector?: string) => ({
    metadata: {
      name,
      ...(selector === undefined ? {} : { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': selector } }),
    },
  });
  const lookup = lookupOf({
    namespaces: [
      namespace('bare'),
      namespace('ssd', 'disk = ssd,zone=a'),
      namespace('empty', ''),
      namespace('broken', 'disk'),
    ],
  });
  const configuration = {
    podNodeSelectorPluginConfig: {
      clusterDefaultNodeSelector: 'pool=shared',
      bare: 'pool=shared,os=linux',
      ssd: 'disk=ssd,zone=a',
    },
  };
  const pod = (name: string, nodeSelector?: object) =>
    ({ metadata: { name: 'p', namespace: name }, spec: nodeSelector === undefined ? {} : { nodeSelector } }) as {
      spec: { nodeSelector?: object };
    };
  const refused = (object: object, overrides = {}) =>
    refusalOf(podNodeSelectorPlugin(lookup, nodeSelectors(configuration)), requestFor('pods', object, overrides));

  it('adds the selector of the namespace, or the default', async () => {
    const cases: [string, object | undefined][] = [
      ['ssd', { disk: 'ssd', zone: 'a' }],
      ['bare', { pool: 'shared' }],
      ['empty', undefined],
    ];
    for (const [name, expected] of cases) {
      const created = pod(name);
      assert.equal(await refused(created), undefined);
      assert.deepEqual(created.spec.nodeSelector, expected);
    }
  });

  it('keeps the selector of the pod as well', async () => {
    const created = pod('bare', { os: 'linux', pool: 'shared' });
    assert.equal(await refused(created), undefined);
    assert.deepEqual(created.spec.nodeSelector, { os: 'linux', pool: 'shared' });
  });

  it('refuses contradictions', async () => {
    assert.equal(
      await refused(pod('ssd', { disk: 'hdd' })),
      '403 pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
  });

  it('refuses labels that the namespace does not allow', async () => {
    const words = '403 pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';
    assert.equal(await refused(pod('bare', { gpu: 'yes' })), words);
    assert.equal(await refused(pod('bare', { os: 'windows' })), words);
    assert.equal(await refused(pod('empty', { gpu: 'yes' })), undefined);
  });

  it('does not name a pod that has no name yet', async () => {
    const unnamed = { ...pod('ssd', { disk: 'hdd' }), metadata: { generateName: 'p-', namespace: 'ssd' } };
    assert.equal(
      await refused(unnamed),
      '403 pods is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
  });

  it('checks new pods only', async () => {
    const changed = pod('ssd', { disk: 'hdd' });
    assert.equal(await refused(changed, { operation: 'UPDATE' }), undefined);
  });

  it('answers for namespaces that are broken or missing', async () => {
    assert.equal(await refused(pod('broken')), '500 invalid selector: [disk]');
    assert.equal(await refused(pod('gone')), '404 namespaces "gone" not found');
  });

  it('does not start with a configuration that is wrong', () => {
    assert.throws(
      () => nodeSelectors({ podNodeSelectorPluginConfig: { a: 'b' } }),
      /^Error: podNodeSelectorPluginConfig\.a: invalid selector: \[b\]$/,
    );
    assert.throws(
      () => nodeSelectors({ podNodeSelectorPluginConfig: { a: '!=b' } }),
      /podNodeSelectorPluginConfig\.a: <nil>: Invalid value: "!": name part must consist of /,
    );
    assert.throws(
      () => nodeSelectors({ podNodeSelectorPluginConfig: { a: 'b=!' } }),
      /podNodeSelectorPluginConfig\.a: \[b\]: Invalid value: "!": a valid label must be /,
    );
    assert.throws(
      () => nodeSelectors({ podNodeSelectorPluginConfig: { a: 'b=c=d' } }),
      /podNodeSelectorPluginConfig\.a: invalid selector: \[b c d\]$/,
    );
    assert.throws(
      () => nodeSelectors({ podNodeSelectorPluginConfig: ['a'] }),
      /podNodeSelectorPluginConfig must be a mapping/,
    );
    assert.deepEqual(nodeSelectors(undefined), { byDefault: new Map(), allowed: new Map() });
  });
});
