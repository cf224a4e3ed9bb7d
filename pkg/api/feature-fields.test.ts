import assert from 'node:assert/strict';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { featureGates, type FeatureGate, type GateName } from '../options/feature-gates.ts';
import { allResources } from './all-resources.ts';
import { gatesWithFields, withoutFeatureFields } from './feature-fields.ts';
import type { AnyResource, StrategyContext } from './resource-definition.ts';

const context = (requestVersion: string): StrategyContext => ({
  now: '2024-01-02T03:04:05Z',
  user: { name: 'u', groups: [] },
  requestVersion,
  dryRun: false,
  policy: { allowPrivileged: false },
});
const kind = (gate: GateName, resource: string): AnyResource =>
  withoutFeatureFields(allResources, (name) => name === gate).find((d) => d.resource === resource)!;

function created(gate: GateName, resource: string, body: object, requestVersion = 'v1'): any {
  const object = structuredClone({ metadata: { name: 'x' }, status: {}, ...body }) as unknown as ApiObject;
  kind(gate, resource).prepareForCreate!(object, context(requestVersion));
  return object;
}

describe('fields of features that are turned off', () => {
  const container = (more: object): object => ({ name: 'c', image: 'i', resources: {}, ...more });
  const cases: readonly (readonly [gate: GateName, resource: string, spec: object, left: object])[] = [
    ['PodShareProcessNamespace', 'pods', { shareProcessNamespace: true, nodeName: 'n' }, { nodeName: 'n' }],
    ['PodReadinessGates', 'pods', { readinessGates: [{ conditionType: 'a' }] }, {}],
    ['CustomPodDNS', 'pods', { dnsConfig: {} }, {}],
    [
      'RunAsGroup',
      'pods',
      {
        securityContext: { runAsGroup: 5, runAsUser: 1 },
        containers: [container({ securityContext: { runAsGroup: 6 } })],
      },
      { securityContext: { runAsUser: 1 }, containers: [container({ securityContext: {} })] },
    ],
    [
      'VolumeSubpathEnvExpansion',
      'pods',
      { initContainers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(X)' }] })] },
      { initContainers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })] },
    ],
    [
      'LocalStorageCapacityIsolation',
      'pods',
      { volumes: [{ name: 'a', emptyDir: { sizeLimit: '1Gi', medium: '' } }, { name: 'b' }] },
      { volumes: [{ name: 'a', emptyDir: { medium: '' } }, { name: 'b' }] },
    ],
    [
      'TokenRequestProjection',
      'pods',
      {
        volumes: [
          { name: 'a', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'c' } }] } },
        ],
      },
      { volumes: [{ name: 'a', projected: { sources: [{}, { configMap: { name: 'c' } }] } }] },
    ],
    ['ResourceQuotaScopeSelectors', 'resourcequotas', { scopeSelector: {}, hard: {} }, { hard: {} }],
    ['GenericWorkload', 'pods', { schedulingGroup: { podGroupName: 'g' } }, {}],
    [
      'CrossNamespaceVolumeDataSource',
      'persistentvolumeclaims',
      { dataSourceRef: { kind: 'K', name: 'n', namespace: 'other' } },
      { dataSource: { apiGroup: undefined, kind: 'K', name: 'n' }, dataSourceRef: { kind: 'K', name: 'n' } },
    ],
    [
      'VolumeLimitScaling',
      'csidrivers',
      { preventPodSchedulingIfMissing: true, attachRequired: true },
      { attachRequired: true },
    ],
    [
      'DRAListTypeAttributes',
      'resourceslices',
      { devices: [{ name: 'd', attributes: { a: { ints: [1] }, b: { int: 1 } } }] },
      { devices: [{ name: 'd', attributes: { a: {}, b: { int: 1 } } }] },
    ],
    [
      'DRANodeAllocatableResources',
      'resourceslices',
      { devices: [{ name: 'd', nodeAllocatableResourceMappings: { cpu: {} } }] },
      { devices: [{ name: 'd' }] },
    ],
    ['DynamicKubeletConfig', 'nodes', { configSource: {} }, {}],
  ];
  for (const [gate, resource, spec, left] of cases) {
    it(`${gate} drops its fields from new ${resource}`, () =>
      assert.deepEqual(created(gate, resource, { spec }).spec, left));
  }

  it('are dropped from templates of pods as well', () => {
    const spec = { template: { spec: { shareProcessNamespace: true, containers: [] } } };
    assert.deepEqual(created('PodShareProcessNamespace', 'deployments', { spec }).spec.template.spec, {
      containers: [],
    });
    assert.deepEqual(
      created('PodShareProcessNamespace', 'cronjobs', { spec: { jobTemplate: { spec } } }).spec.jobTemplate.spec
        .template.spec,
      { containers: [] },
    );
  });

  it('stay where the stored object has them', () => {
    const update = (old: object): any => {
      const object: any = { metadata: { name: 'x' }, spec: { scopeSelector: { matchExpressions: [] } }, status: {} };
      kind('ResourceQuotaScopeSelectors', 'resourcequotas').prepareForUpdate!(
        object,
        { metadata: { name: 'x' }, spec: old, status: {} } as unknown as ApiObject,
        context('v1'),
      );
      return object.spec;
    };
    assert.deepEqual([update({}), update({ scopeSelector: {} })], [{}, { scopeSelector: { matchExpressions: [] } }]);
  });

  it('leave schemas of definitions alone where their version demands one', () => {
    const spec = { versions: [{ name: 'v1', schema: {}, subresources: {} }] };
    const left = (gate: GateName, version: string): string[] =>
      Object.keys(
        created(gate, 'customresourcedefinitions', { spec }, `apiextensions.k8s.io/${version}`).spec.versions[0],
      );
    assert.deepEqual(left('CustomResourceValidation', 'v1'), ['name', 'schema', 'subresources']);
    assert.deepEqual(left('CustomResourceValidation', 'v1beta1'), ['name', 'subresources']);
    assert.deepEqual(left('CustomResourceSubresources', 'v1'), ['name', 'schema']);
  });

  it('keep every kind unchanged while no feature is turned off', () =>
    assert.deepEqual(
      withoutFeatureFields(allResources, () => false),
      allResources,
    ));

  it('are those of the gates that the table marks as having fields', () => {
    const said = (Object.entries(featureGates) as [GateName, FeatureGate][])
      .filter(([, gate]) => gate.here.startsWith('fields'))
      .map(([name]) => name);
    // PodPriority also turns its admission plugin off, TokenRequestProjection how ServiceAccount gives tokens.
    assert.deepEqual(
      [...gatesWithFields(allResources)].sort(),
      [...said, 'PodPriority', 'TokenRequestProjection'].sort(),
    );
  });
});
