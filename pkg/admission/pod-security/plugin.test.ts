import assert from 'node:assert/strict';
import type { AdmissionRequest } from '../admission.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { podSecuritySettings } from './configuration.ts';
import { podSecurityPlugin } from './plugin.ts';
import type { PodSecurityObserver } from './pod-security-observer.ts';

describe('PodSecurity', () => {
  const prefix = 'pod-security.kubernetes.io/';
  const labels = (modes: Record<string, string>) =>
    Object.fromEntries(Object.entries(modes).map(([mode, value]) => [`${prefix}${mode}`, value]));
  const namespace = (name: string, modes: Record<string, string> = {}) => ({
    metadata: { name, labels: labels(modes) },
  });
  const privileged = [{ name: 'c', image: 'i', securityContext: { privileged: true } }];
  const pod = (namespace: string, containers: object[] = privileged, more: object = {}) => ({
    metadata: { name: 'p', namespace },
    spec: { containers, ...more },
  });
  const lookup = lookupOf({
    namespaces: [
      namespace('free'),
      namespace('base', { enforce: 'baseline' }),
      namespace('told', { warn: 'baseline', audit: 'restricted', 'audit-version': 'v1.7' }),
      namespace('broken', { enforce: 'strict', warn: 'x' }),
    ],
    pods: [
      pod('base'),
      { ...pod('base'), metadata: { name: 'o', namespace: 'base' } },
      { ...pod('base', [{ name: 'c' }]), metadata: { name: 'fine', namespace: 'base' } },
    ],
  });
  let warnings: string[];
  let annotations: Record<string, string>;
  let counted: string[];
  const observer: PodSecurityObserver = {
    podEvaluated: (_request, mode, { level }, allowed) => void counted.push(`${mode} ${level} ${allowed}`),
    podExempted: () => void counted.push('exempt'),
  };
  beforeEach(() => {
    counted = [];
    warnings = [];
    annotations = {};
  });
  const notes = {
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => void (annotations[key] = value),
  };
  const refused = (
    resource: string,
    object: object,
    overrides: Partial<AdmissionRequest> = {},
    configuration?: unknown,
  ) =>
    refusalOf(
      podSecurityPlugin(lookup, podSecuritySettings(configuration), observer),
      requestFor(resource, object, { notes, ...overrides }),
    );
  const violation = 'privileged (container "c" must not set securityContext.privileged=true)';

  it('refuses pods that violate the level of their namespace', async () => {
    assert.equal(
      await refused('pods', pod('base')),
      `403 pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
    );
    assert.equal(await refused('pods', pod('base', [{ name: 'c' }])), undefined);
    assert.deepEqual(annotations, { [`${prefix}enforce-policy`]: 'baseline:latest' });
  });

  it('admits everything without labels', async () => {
    assert.equal(await refused('pods', pod('free')), undefined);
    assert.deepEqual([warnings, annotations], [[], { [`${prefix}enforce-policy`]: 'privileged:latest' }]);
  });

  it('warns and annotates where labels request it', async () => {
    assert.equal(await refused('pods', pod('told')), undefined);
    assert.deepEqual(warnings, [`would violate PodSecurity "baseline:latest": ${violation}`]);
    assert.equal(
      annotations[`${prefix}audit-violations`],
      `would violate PodSecurity "restricted:v1.7": ${violation}, runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)`,
    );
  });

  it('warns of templates, and refuses none', async () => {
    const template = { metadata: {}, spec: { containers: privileged } };
    const cases: [string, object][] = [
      ['podtemplates', { template }],
      ['deployments.apps', { spec: { template } }],
      ['cronjobs.batch', { spec: { jobTemplate: { spec: { template } } } }],
    ];
    for (const [resource, rest] of cases) {
      warnings = [];
      assert.equal(await refused(resource, { metadata: { name: 'x', namespace: 'told' }, ...rest }), undefined);
      assert.equal(warnings.length, 1, resource);
    }
    warnings = [];
    assert.equal(
      await refused('deployments.apps', { metadata: { name: 'x', namespace: 'base' }, spec: { template } }),
      undefined,
    );
    assert.equal(
      await refused('replicationcontrollers', { metadata: { name: 'x', namespace: 'told' }, spec: {} }),
      undefined,
    );
    assert.deepEqual(warnings, []);
  });

  it('checks only updates that could matter', async () => {
    const update = (now: object, old: object, subresource = '') =>
      refused('pods', now, { operation: 'UPDATE', oldObject: old as never, subresource });
    assert.equal(await update(pod('base'), pod('base')), undefined);
    assert.match(
      (await update(pod('base', [{ ...privileged[0], image: 'other' }]), pod('base'))) ?? '',
      /violates PodSecurity/,
    );
    const debugged = pod('base', privileged, { ephemeralContainers: [{ name: 'e' }] });
    assert.match((await update(debugged, pod('base'), 'ephemeralcontainers')) ?? '', /violates PodSecurity/);
    assert.match((await update(debugged, pod('base'), 'somethingnew')) ?? '', /violates PodSecurity/);
    assert.equal(await update(pod('base', [{ ...privileged[0], image: 'other' }]), pod('base'), 'status'), undefined);
  });

  it('takes the strictest level for invalid labels, and warns of nothing', async () => {
    assert.match((await refused('pods', pod('broken'))) ?? '', /violates PodSecurity "restricted:latest"/);
    assert.deepEqual(warnings, []);
    assert.match(
      annotations[`${prefix}error`]!,
      /^Failed to parse policy: \[metadata\.labels\[pod-security\.kubernetes\.io\/enforce\]: Invalid value: "strict": must be one of privileged, baseline, restricted/,
    );
  });

  it('checks the labels of namespaces', async () => {
    const words =
      '422 Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted';
    const update = (old: object) => ({ operation: 'UPDATE', oldObject: old }) as Partial<AdmissionRequest>;
    assert.equal(await refused('namespaces', namespace('n', { enforce: 'x' })), words);
    assert.equal(await refused('namespaces', namespace('n', { enforce: 'x' }), update(namespace('n'))), words);
    assert.equal(
      await refused('namespaces', namespace('n', { enforce: 'x' }), update(namespace('n', { enforce: 'x' }))),
      undefined,
    );
    assert.equal(
      await refused('namespaces', namespace('n', { 'warn-version': '1.25' })),
      '422 Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.25": must be "latest" or "v1.x"',
    );
    assert.equal(
      await refused('namespaces', namespace('n', { enforce: 'x' }), {
        ...update(namespace('n')),
        subresource: 'status',
      }),
      undefined,
    );
  });

  it('warns of pods that a stricter level finds', async () => {
    const update = (modes: Record<string, string>, old: Record<string, string> = {}) =>
      refused('namespaces', namespace('base', modes), {
        operation: 'UPDATE',
        oldObject: namespace('base', old) as never,
      });
    assert.equal(await update({ enforce: 'baseline' }), undefined);
    assert.deepEqual(warnings, [
      'existing pods in namespace "base" violate the new PodSecurity enforce level "baseline:latest"',
      'o (and 1 other pod): privileged',
    ]);
    warnings = [];
    await update({ enforce: 'baseline' }, { enforce: 'restricted' });
    await update({ enforce: 'baseline' }, { enforce: 'baseline' });
    await update({ warn: 'baseline' });
    assert.deepEqual(warnings, []);
    await update({ enforce: 'baseline', 'enforce-version': 'v1.20' }, { enforce: 'baseline' });
    assert.equal(warnings.length, 2);
  });

  it("applies the operator's defaults and exemptions", async () => {
    const configuration = {
      apiVersion: 'pod-security.admission.config.k8s.io/v1',
      kind: 'PodSecurityConfiguration',
      defaults: { enforce: 'baseline', 'enforce-version': 'v1.25' },
      exemptions: { usernames: ['root'], namespaces: ['base'], runtimeClasses: ['vm'] },
    };
    assert.match(
      (await refused('pods', pod('free'), {}, configuration)) ?? '',
      /violates PodSecurity "baseline:v1\.25"/,
    );
    assert.equal(await refused('pods', pod('free'), { user: { name: 'root', groups: [] } }, configuration), undefined);
    assert.equal(annotations[`${prefix}exempt`], 'user');
    assert.equal(await refused('pods', pod('base'), {}, configuration), undefined);
    assert.equal(
      await refused('pods', pod('free', privileged, { runtimeClassName: 'vm' }), {}, configuration),
      undefined,
    );
  });

  it('reports its decisions', async () => {
    await refused('pods', pod('base'));
    await refused('pods', pod('free'));
    await refused('pods', pod('told'));
    assert.deepEqual(counted, [
      'enforce baseline false',
      'enforce privileged true',
      'enforce privileged true',
      'audit restricted false',
      'warn baseline false',
    ]);
    counted = [];
    await refused(
      'pods',
      pod('base'),
      {},
      {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        exemptions: { namespaces: ['base'] },
      },
    );
    assert.deepEqual(counted, ['exempt']);
  });

  it('does not start with a configuration that is wrong', () => {
    const kind = { apiVersion: 'pod-security.admission.config.k8s.io/v1beta1', kind: 'PodSecurityConfiguration' };
    assert.throws(
      () => podSecuritySettings({ ...kind, defaults: { enforce: 'x' } }),
      /defaults\.enforce must be one of/,
    );
    assert.throws(
      () => podSecuritySettings({ ...kind, defaults: { 'warn-version': '1' } }),
      /defaults\.warn-version must be "latest" or "v1\.x"/,
    );
    assert.throws(
      () => podSecuritySettings({ ...kind, exemptions: { usernames: 'a' } }),
      /exemptions\.usernames must be a list/,
    );
    assert.throws(() => podSecuritySettings({}), /no configuration of apiVersion and kind/);
  });
});
