import assert from 'node:assert/strict';
import { fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import {
  defaultIpFamilies,
  dropTypeDependentFields,
  needsClusterIp,
  needsHealthCheckNodePort,
  needsNodePorts,
  normalizeClusterIps,
  patchAllocatedValues,
} from './allocation-rules.ts';

function of(spec: ServiceSpec): Service {
  return { metadata: { name: 's' }, spec: { type: 'ClusterIP', ...spec }, status: { loadBalancer: {} } };
}

function port(name: string, nodePort?: number): { name: string; port: number; targetPort: number; nodePort?: number } {
  return { name, port: 80, targetPort: 80, nodePort };
}

describe('needs of services', () => {
  it('follow the type', () => {
    const needs = (spec: ServiceSpec): boolean[] => [
      needsClusterIp(of(spec)),
      needsNodePorts(of(spec)),
      needsHealthCheckNodePort(of(spec)),
    ];
    assert.deepEqual(needs({}), [true, false, false]);
    assert.deepEqual(needs({ clusterIP: 'None' }), [false, false, false]);
    assert.deepEqual(needs({ type: 'NodePort', externalTrafficPolicy: 'Local' }), [true, true, false]);
    assert.deepEqual(needs({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }), [true, true, true]);
    assert.deepEqual(needs({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }), [true, false, false]);
    assert.deepEqual(needs({ type: 'ExternalName' }), [false, false, false]);
  });
});

describe('patchAllocatedValues', () => {
  it('keeps allocated values that the client left out', () => {
    const old = of({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      healthCheckNodePort: 30009,
      ports: [port('a', 30001), port('b', 30002)],
    });
    const object = of({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      ports: [port('b'), port('a'), port('c')],
    });
    patchAllocatedValues(object, old);
    assert.deepEqual(
      object.spec.ports!.map((p) => p.nodePort),
      [30002, 30001, undefined],
    );
    assert.deepEqual(
      [object.spec.clusterIP, object.spec.clusterIPs, object.spec.healthCheckNodePort],
      ['10.0.0.1', ['10.0.0.1'], 30009],
    );
  });

  it('keeps no port that the client gave to another', () => {
    const object = of({ type: 'NodePort', ports: [port('a'), port('b', 30001)] });
    patchAllocatedValues(object, of({ type: 'NodePort', ports: [port('a', 30001)] }));
    assert.deepEqual(
      object.spec.ports!.map((p) => p.nodePort),
      [undefined, 30001],
    );
  });

  it('does not touch changed values', () => {
    const object = of({ clusterIP: '10.0.0.2' });
    patchAllocatedValues(object, of({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }));
    assert.deepEqual([object.spec.clusterIP, object.spec.clusterIPs], ['10.0.0.2', undefined]);
  });
});

describe('normalizeClusterIps', () => {
  const cases: [title: string, old: ServiceSpec | undefined, spec: ServiceSpec, clusterIPs: string[] | undefined][] = [
    ['a new service with one', undefined, { clusterIP: 'a' }, ['a']],
    ['a new service with the list alone', undefined, { clusterIPs: ['a'] }, ['a']],
    ['an old client', { clusterIP: 'a', clusterIPs: ['a', 'b'] }, { clusterIP: 'a' }, ['a', 'b']],
    ['an old client that clears', { clusterIP: 'a', clusterIPs: ['a'] }, { clusterIPs: ['a'] }, undefined],
    ['an old client that changes', { clusterIP: 'a', clusterIPs: ['a'] }, { clusterIP: 'b', clusterIPs: ['a'] }, ['b']],
    ['a client that changes both', { clusterIP: 'a', clusterIPs: ['a'] }, { clusterIP: 'b', clusterIPs: ['c'] }, ['c']],
  ];
  for (const [title, old, spec, clusterIPs] of cases) {
    it(title, () => {
      const object = of(spec);
      normalizeClusterIps(object, old && of(old));
      assert.deepEqual(object.spec.clusterIPs, clusterIPs);
    });
  }
});

describe('dropTypeDependentFields', () => {
  it('keeps new node ports', () => {
    const object = of({ ports: [port('a', 30002)] });
    dropTypeDependentFields(object, of({ type: 'NodePort', ports: [port('a', 30001)] }));
    assert.equal(object.spec.ports![0]!.nodePort, 30002);
  });

  it('drops the health check with its policy', () => {
    const old = of({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30001 });
    const object = of({ type: 'LoadBalancer', externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30001 });
    dropTypeDependentFields(object, old);
    assert.deepEqual([object.spec.healthCheckNodePort, object.spec.externalTrafficPolicy], [undefined, 'Cluster']);
  });

  it('drops what a balancer reported with the type', () => {
    const balanced = (spec: ServiceSpec): Service => ({
      ...of(spec),
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    });
    const [kept, object] = [balanced({ type: 'LoadBalancer' }), balanced({ type: 'ClusterIP' })];
    dropTypeDependentFields(kept, balanced({ type: 'LoadBalancer' }));
    assert.deepEqual(kept.status, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } });
    dropTypeDependentFields(object, balanced({ type: 'LoadBalancer' }));
    assert.deepEqual(object.status, { loadBalancer: {} });
  });
});

describe('defaultIpFamilies', () => {
  const cases: [
    title: string,
    spec: ServiceSpec,
    result: { families?: string[]; policy?: string; ips?: string[] } | string[],
    families?: ('IPv4' | 'IPv6')[],
  ][] = [
    ['one family', { selector: { a: 'b' } }, { families: ['IPv4'], policy: 'SingleStack' }],
    ['a given address', { clusterIP: '10.0.0.1' }, { families: ['IPv4'], policy: 'SingleStack', ips: ['10.0.0.1'] }],
    ['an external name', { type: 'ExternalName' }, {}],
    [
      'headless',
      { clusterIP: 'None', selector: { a: 'b' } },
      { families: ['IPv4'], policy: 'SingleStack', ips: ['None'] },
    ],
    [
      'headless without selector',
      { clusterIP: 'None' },
      { families: ['IPv4', 'IPv6'], policy: 'RequireDualStack', ips: ['None'] },
    ],
    [
      'headless without selector, one family',
      { clusterIP: 'None', ipFamilyPolicy: 'SingleStack' },
      { families: ['IPv4'], policy: 'SingleStack', ips: ['None'] },
    ],
    ['two preferred', { ipFamilyPolicy: 'PreferDualStack' }, { families: ['IPv4'], policy: 'PreferDualStack' }],
    [
      'two preferred where there are two',
      { ipFamilyPolicy: 'PreferDualStack' },
      { families: ['IPv6', 'IPv4'], policy: 'PreferDualStack' },
      ['IPv6', 'IPv4'],
    ],
    [
      'two required',
      { ipFamilyPolicy: 'RequireDualStack' },
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
    ],
    [
      'the other family',
      { ipFamilies: ['IPv6'] },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'an address of the other family',
      { clusterIP: 'fd00::1' },
      ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    ],
    [
      'two families in a single stack',
      { ipFamilies: ['IPv4', 'IPv6'] },
      [
        "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
      ],
    ],
    [
      'no address',
      { clusterIP: 'x' },
      ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
  ];
  for (const [title, spec, result, families] of cases) {
    it(title, () => {
      const object = of(spec);
      const texts = defaultIpFamilies(object, undefined, families).items.map(fieldErrorText);
      if (Array.isArray(result)) return assert.deepEqual(texts, result);
      assert.deepEqual(texts, []);
      const { ipFamilies, ipFamilyPolicy, clusterIPs } = object.spec;
      return assert.deepEqual(
        { ipFamilies, ipFamilyPolicy, clusterIPs },
        { ipFamilies: result.families, ipFamilyPolicy: result.policy, clusterIPs: result.ips },
      );
    });
  }

  it('keeps the policy that an update leaves out', () => {
    const object = of({ clusterIP: '10.0.0.1' });
    assert.equal(defaultIpFamilies(object, of({ ipFamilyPolicy: 'PreferDualStack' })).length, 0);
    assert.equal(object.spec.ipFamilyPolicy, 'PreferDualStack');
  });

  it('releases the second family', () => {
    const old = of({
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      ipFamilies: ['IPv4', 'IPv6'],
    });
    const object = of({ ...old.spec, ipFamilyPolicy: 'SingleStack' });
    assert.equal(defaultIpFamilies(object, old, ['IPv4', 'IPv6']).length, 0);
    assert.deepEqual([object.spec.clusterIPs, object.spec.ipFamilies], [['10.0.0.1'], ['IPv4']]);
    const unclear = of({ ...old.spec, clusterIPs: ['10.0.0.1'] });
    assert.deepEqual(defaultIpFamilies(unclear, old, ['IPv4', 'IPv6']).items.map(fieldErrorText), [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary cluster IP',
    ]);
  });

  it('leaves a service that prefers two families unchanged', () => {
    const old = of({
      ipFamilyPolicy: 'PreferDualStack',
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
    });
    const object = of({ ...old.spec });
    assert.equal(defaultIpFamilies(object, old, ['IPv4', 'IPv6']).length, 0);
    assert.deepEqual(object.spec.ipFamilies, ['IPv4']);
  });
});
