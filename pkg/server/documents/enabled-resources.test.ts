import assert from 'node:assert/strict';
import { allResources } from '../../api/all-resources.ts';
import { withdrawnVersions } from '../../options/withdrawn-versions.ts';
import { parseRuntimeConfig } from './enabled-resources.ts';

const parse = (...pairs: string[]) =>
  parseRuntimeConfig(new Map(pairs.map((pair) => pair.split('=') as [string, string])), allResources);

describe('parseRuntimeConfig', () => {
  const cases: readonly (readonly [config: string[], enabled: string[], disabled: string[]])[] = [
    [[], ['v1', 'apps/v1', 'settings.k8s.io/v1alpha1'], []],
    [['apps/v1=false'], ['apps/v1beta1', 'v1'], ['apps/v1']],
    [['v1=false'], ['apps/v1'], ['v1']],
    [['api/v1=false'], ['apps/v1'], ['v1']],
    [['core/v1=false'], ['apps/v1'], ['v1']],
    [['api/legacy=false'], ['apps/v1'], ['v1']],
    [['api/all=false'], [], ['v1', 'apps/v1', 'settings.k8s.io/v1alpha1']],
    [['api/all=false', 'apps/v1=true'], ['apps/v1'], ['v1', 'apps/v1beta1']],
    [['apps/v1=true', 'api/all=false', 'api/legacy=true'], ['apps/v1', 'v1'], ['batch/v1']],
    [['api/all=true', 'apps/v1=false'], ['v1', 'apps/v1beta1'], ['apps/v1']],
    [
      ['api/beta=false', 'apps/v1beta2=true'],
      ['apps/v1', 'apps/v1beta2', 'settings.k8s.io/v1alpha1'],
      ['apps/v1beta1', 'policy/v1beta1'],
    ],
    [
      ['api/all=false', 'api/ga=true'],
      ['apps/v1', 'v1'],
      ['apps/v1beta1', 'settings.k8s.io/v1alpha1'],
    ],
    [['api/alpha=false'], ['apps/v1beta1'], ['settings.k8s.io/v1alpha1']],
  ];
  for (const [config, on, off] of cases) {
    it(`reads ${config.join(',') || 'nothing'}`, () => {
      const { enabled, problems } = parse(...config);
      assert.deepEqual(
        [on.filter((v) => !enabled(v, 'things')), off.filter((v) => enabled(v, 'things')), problems],
        [[], [], []],
      );
    });
  }

  it('lets single resources differ from their version', () => {
    const { enabled } = parse('apps/v1/deployments=false', 'batch/v1=false', 'batch/v1/jobs=true', 'v1/pods=false');
    assert.deepEqual(
      [
        enabled('apps/v1', 'deployments'),
        enabled('apps/v1', 'daemonsets'),
        enabled('batch/v1', 'jobs'),
        enabled('batch/v1', 'cronjobs'),
        enabled('v1', 'pods'),
        enabled('v1', 'nodes'),
      ],
      [false, true, true, false, false, true],
    );
  });

  it('skips versions that were withdrawn, of which it serves none', () => {
    assert.deepEqual(
      parse('auditregistration.k8s.io/v1alpha1=true', 'discovery.k8s.io/v1alpha1', 'networking.k8s.io/v1alpha1=false')
        .problems,
      [],
    );
    const served = new Set(allResources.flatMap((d) => d.versions.map(({ groupVersion }) => groupVersion)));
    assert.deepEqual(
      [...withdrawnVersions].filter((groupVersion) => served.has(groupVersion)),
      [],
    );
  });

  it('reports unknown names', () => {
    assert.deepEqual(parse('apps/v7=true', 'nothing=false', 'apps/v1/things=false', '__proto__=true').problems, [
      ['apps/v7=true', 'no such version: apps/v7'],
      ['nothing=false', 'no such version: nothing'],
      ['apps/v1/things=false', 'no such resource in apps/v1: things'],
      ['__proto__=true', 'no such version: __proto__'],
    ]);
  });
});
