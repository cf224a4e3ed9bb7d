import assert from 'node:assert/strict';
import type { AdmissionRequest } from '../../admission/admission.ts';
import { AdmissionSeries } from './admission-series.ts';
import type { HistogramFamily, ValueFamily } from './metric-family.ts';

describe('AdmissionSeries', () => {
  const families = (series: AdmissionSeries) => new Map(series.families().map((family) => [family.name, family]));
  const request = (resource: string, group = '') =>
    ({ operation: 'CREATE', subresource: '', definition: { group, resource } }) as AdmissionRequest;

  it('times plugins and rounds, separately by result', () => {
    const series = new AdmissionSeries();
    const admitted = series.ofPlugin('A', 'admit');
    admitted('CREATE', false, 0.001);
    admitted('CREATE', false, 0.2);
    series.ofPlugin('A', 'validate')('CREATE', true, 0.001);
    series.ofRound('admit')('CREATE', false, 0.3);
    const plugins = [
      ...(
        families(series).get('apiserver_admission_controller_admission_duration_seconds') as HistogramFamily
      ).series(),
    ];
    assert.deepEqual(
      plugins.map(({ labels, cumulative }) => [
        labels,
        cumulative.call(plugins.find((p) => p.labels === labels)).at(-1),
      ]),
      [
        [{ name: 'A', operation: 'CREATE', rejected: 'false', type: 'admit' }, 2],
        [{ name: 'A', operation: 'CREATE', rejected: 'true', type: 'validate' }, 1],
      ],
    );
    const [round] = (
      families(series).get('apiserver_admission_step_admission_duration_seconds') as HistogramFamily
    ).series();
    assert.deepEqual([round!.labels, round!.sum], [{ operation: 'CREATE', rejected: 'false', type: 'admit' }, 0.3]);
  });

  it('counts decisions of pod security, without a label for every release in a request', async () => {
    const series = new AdmissionSeries();
    for (const version of [25, 25, 'latest', 41, 999] as const)
      series.podEvaluated(request('pods'), 'enforce', { level: 'baseline', version }, false);
    series.podExempted(request('deployments', 'apps'));
    const evaluations = [...(await (families(series).get('pod_security_evaluations_total') as ValueFamily).samples())];
    assert.deepEqual(
      evaluations.map(({ labels, value }) => [labels['policy_version'], value]),
      [
        ['v1.25', 2],
        ['latest', 1],
        ['future', 2],
      ],
    );
    assert.deepEqual(evaluations[0]!.labels, {
      decision: 'deny',
      mode: 'enforce',
      policy_level: 'baseline',
      policy_version: 'v1.25',
      request_operation: 'create',
      resource: 'pod',
      subresource: '',
    });
    const [exemption] = await (families(series).get('pod_security_exemptions_total') as ValueFamily).samples();
    assert.deepEqual(exemption, {
      labels: { request_operation: 'create', resource: 'controller', subresource: '' },
      value: 1,
    });
  });
});
