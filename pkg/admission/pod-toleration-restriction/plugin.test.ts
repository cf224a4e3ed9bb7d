import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { clusterTolerations } from './configuration.ts';
import { podTolerationRestrictionPlugin } from './plugin.ts';

describe('PodTolerationRestriction', () => {
  const a = { key: 'a', operator: 'Exists' };
  const b = { key: 'b', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
  const pressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
  const prefix = 'scheduler.alpha.kubernetes.io';
  const namespace = (name: string, defaults?: string, allowed?: string) => ({
    metadata: {
      name,
      annotations: {
        ...(defaults === undefined ? {} : { [`${prefix}/defaultTolerations`]: defaults }),
        ...(allowed === undefined ? {} : { [`${prefix}/tolerationsWhitelist`]: allowed }),
      },
    },
  });
  const lookup = lookupOf({
    namespaces: [
      namespace('bare'),
      namespace('own', JSON.stringify([a]), JSON.stringify([a])),
      namespace('none', '', '[]'),
      namespace('broken', '{'),
      namespace('odd', '5'),
      namespace('typed', '[{"key":5}]'),
      namespace('null', 'null', '[null]'),
      namespace('many', undefined, JSON.stringify(Array.from({ length: 257 }, (_, i) => ({ key: `k${i}` })))),
    ],
  });
  const cluster = {
    apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    default: [b],
    whitelist: [{ key: 'b', operator: 'Exists' }, pressure],
  };
  const pod = (name: string, tolerations?: object[], resources: object = {}) =>
    ({
      metadata: { name: 'p', namespace: name },
      spec: { containers: [{ name: 'c', resources }], ...(tolerations === undefined ? {} : { tolerations }) },
    }) as { spec: { tolerations?: object[] } };
  const refused = (object: object, configuration: unknown = cluster, overrides = {}) =>
    refusalOf(
      podTolerationRestrictionPlugin(lookup, clusterTolerations(configuration)),
      requestFor('pods', object, overrides),
    );

  it('adds the defaults of the namespace, or else of the cluster', async () => {
    for (const [name, expected] of [
      ['own', [a]],
      ['bare', [b]],
      ['none', undefined],
    ] as const) {
      const created = pod(name);
      assert.equal(await refused(created), undefined);
      assert.deepEqual(created.spec.tolerations, expected);
    }
  });

  it('lets pods with requests tolerate memory pressure', async () => {
    const created = pod('bare', undefined, { requests: { cpu: '1' } });
    assert.equal(await refused(created), undefined);
    assert.deepEqual(created.spec.tolerations, [b, pressure]);
  });

  it('refuses what the namespace, or else the cluster, does not allow', async () => {
    const words = (scope: string) =>
      `500 pod tolerations (possibly merged with ${scope} default tolerations) conflict with its ${scope} whitelist`;
    assert.equal(await refused(pod('own', [b])), words('namespace'));
    assert.equal(await refused(pod('bare', [a])), words('cluster'));
    assert.equal(await refused(pod('bare', [{ ...b, effect: 'NoExecute', value: 'y' }])), undefined);
    assert.equal(await refused(pod('none', [{ operator: 'Exists' }])), undefined);
  });

  it('adds no defaults to an existing pod, but checks its tolerations', async () => {
    const changed = pod('bare', [{ key: 'b', operator: 'Exists' }]);
    assert.equal(await refused(changed, cluster, { operation: 'UPDATE' }), undefined);
    assert.equal(changed.spec.tolerations?.length, 1);
    assert.match(
      (await refused(pod('bare', [a]), cluster, { operation: 'UPDATE' })) ?? '',
      /conflict with its cluster whitelist/,
    );
  });

  it('restricts nothing without configuration', async () => {
    const plugin = podTolerationRestrictionPlugin(lookup, clusterTolerations(undefined));
    assert.equal(await refusalOf(plugin, requestFor('pods', pod('bare', [{ operator: 'Exists' }]))), undefined);
  });

  it('answers for namespaces that are broken or missing', async () => {
    assert.match((await refused(pod('broken'))) ?? '', /^500 /);
    assert.equal(
      await refused(pod('odd')),
      `500 annotation ${prefix}/defaultTolerations of namespace odd: must be a list of tolerations`,
    );
    assert.match((await refused(pod('typed'))) ?? '', /^500 annotation .* of namespace typed: json: cannot unmarshal /);
    assert.equal(await refused(pod('null')), undefined);
    assert.equal(
      await refused(pod('many', [{ key: 'k0' }])),
      `500 annotation ${prefix}/tolerationsWhitelist of namespace many: must not have more than 256 tolerations`,
    );
    assert.equal(await refused(pod('gone')), '404 namespaces "gone" not found');
  });

  it('does not start with a configuration that is wrong', () => {
    assert.throws(() => clusterTolerations({ ...cluster, kind: 'Other' }), /no configuration of apiVersion and kind/);
    assert.throws(() => clusterTolerations({ ...cluster, default: {} }), /default must be a list/);
    assert.throws(
      () => clusterTolerations({ ...cluster, whitelist: [{ key: 5 }] }),
      /whitelist\[0\]\.key must be a string/,
    );
    assert.throws(
      () => clusterTolerations({ ...cluster, whitelist: [{ tolerationSeconds: 'x' }] }),
      /tolerationSeconds must be a number/,
    );
  });
});
