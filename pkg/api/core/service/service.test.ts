import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { service } from './service.ts';

type Made = ReturnType<typeof create>;

function made(spec: object, metadata: object = {}): Made {
  return create(service, 'v1', { metadata: { name: 's', ...metadata }, spec });
}

/** As the allocator leaves it. */
function stored(spec: object): Made['object'] {
  const { object, texts } = made({
    ports: [{ port: 80 }],
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...spec,
  });
  assert.deepEqual(texts, []);
  object.metadata.resourceVersion = '1';
  return object;
}

// `any`: the service as it is served, in its JSON shape.
// eslint-disable-next-line typescript/no-explicit-any
type Change = (o: any) => void;

function causes(old: Made['object'], change: Change): string[] {
  return update(service, 'v1', old, change).texts;
}

const short = (text: string): string =>
  text.replace(/: (a lowercase|a DNS-1035|name part|must contain|must be a valid IP).*/, '');

describe('services: defaults', () => {
  it('is of type ClusterIP and uses TCP', () => {
    const created = made({ ports: [{ port: 80 }, { name: 'b', port: 81, targetPort: 'web', protocol: 'UDP' }] });
    assert.deepEqual(created.texts, ['spec.ports[0].name: Required value']);
    assert.deepEqual(made({ ports: [{ port: 80 }], sessionAffinityConfig: { clientIP: {} } }).as('v1').spec, {
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    });
  });

  it('depends on the type', () => {
    const { spec } = made({ type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] }).as('v1');
    assert.deepEqual(spec.sessionAffinityConfig, { clientIP: { timeoutSeconds: 10800 } });
    assert.deepEqual(
      [spec.externalTrafficPolicy, spec.internalTrafficPolicy, spec.allocateLoadBalancerNodePorts],
      ['Cluster', 'Cluster', true],
    );
    const created = made({ type: 'ExternalName', externalName: 'x.example.com.' });
    assert.deepEqual(created.as('v1').spec, {
      type: 'ExternalName',
      externalName: 'x.example.com.',
      sessionAffinity: 'None',
    });
    assert.deepEqual(created.as('v1').status, { loadBalancer: {} });
  });
});

describe('services: validation', () => {
  const cases: [title: string, spec: object, causes: string[]][] = [
    ['no ports', {}, ['spec.ports: Required value']],
    ['headless without ports', { clusterIP: 'None' }, []],
    [
      'port zero',
      { ports: [{ port: 0 }] },
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'bad ports',
      {
        ports: [
          { name: 'A', port: 1, protocol: 'X', targetPort: 'a--b', appProtocol: 'a b' },
          { name: 'A', port: 2 },
        ],
      },
      [
        'spec.ports[0].name: Invalid value: "A"',
        'spec.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        'spec.ports[0].targetPort: Invalid value: "a--b": must not contain consecutive hyphens',
        'spec.ports[0].appProtocol: Invalid value: "a b"',
        'spec.ports[1].name: Invalid value: "A"',
        'spec.ports[1].name: Duplicate value: "A"',
      ],
    ],
    [
      'ports twice',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30001 },
          { name: 'b', port: 1, nodePort: 30001 },
          { name: 'c', port: 1, nodePort: 30001, protocol: 'UDP' },
        ],
      },
      [
        'spec.ports[1].nodePort: Duplicate value: 30001',
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      'node port without the type',
      { ports: [{ port: 1, nodePort: 30001 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'unknown type',
      { type: 'Magic', ports: [{ port: 1 }] },
      [
        'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    ['external name without name', { type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      'external name with addresses',
      {
        type: 'ExternalName',
        externalName: '_',
        clusterIP: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      [
        'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
        'spec.externalName: Invalid value: "_"',
      ],
    ],
    [
      "load balancer on the agent's port",
      { type: 'LoadBalancer', clusterIP: 'None', ports: [{ port: 10250 }] },
      [
        'spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet',
        'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services',
      ],
    ],
    [
      'bad affinity',
      { sessionAffinity: 'Sticky', ports: [{ port: 1 }] },
      ['spec.sessionAffinity: Unsupported value: "Sticky": supported values: "ClientIP", "None"'],
    ],
    [
      'too long an affinity',
      {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } },
        ports: [{ port: 1 }],
      },
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
      ],
    ],
    ['bad selector', { selector: { 'a b': '' }, ports: [{ port: 1 }] }, ['spec.selector: Invalid value: "a b"']],
    [
      'bad external addresses',
      { externalIPs: ['x', '127.0.0.1'], ports: [{ port: 1 }] },
      [
        'spec.externalIPs[0]: Invalid value: "x"',
        'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'fields of load balancers elsewhere',
      {
        ports: [{ port: 1 }],
        loadBalancerSourceRanges: ['x', '10.0.0.0/8'],
        allocateLoadBalancerNodePorts: true,
        loadBalancerClass: 'a/b',
      },
      [
        "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
        'spec.LoadBalancerSourceRanges: Invalid value: "[x 10.0.0.0/8]": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
        "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      ],
    ],
    [
      'traffic policies',
      {
        ports: [{ port: 1 }],
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30000,
        internalTrafficPolicy: 'Own',
        trafficDistribution: 'x',
      },
      [
        "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set when `type` is 'NodePort' or 'LoadBalancer'",
        "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        'spec.internalTrafficPolicy: Unsupported value: "Own": supported values: "Cluster", "Local"',
        'spec.trafficDistribution: Unsupported value: "x": supported values: "PreferClose", "PreferSameNode", "PreferSameZone"',
      ],
    ],
    [
      'health check without port',
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 1 }] },
      ['spec.healthCheckNodePort: Required value'],
    ],
    [
      'addresses that differ',
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'], ports: [{ port: 1 }] },
      ['spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`'],
    ],
    [
      'the list alone',
      { clusterIPs: ['10.0.0.2'], ports: [{ port: 1 }] },
      ['spec.clusterIPs: Invalid value: ["10.0.0.2"]: must be empty when `clusterIP` is not specified'],
    ],
    [
      'None and more',
      { clusterIP: 'None', clusterIPs: ['None', 'x', 'y'], ports: [{ port: 1 }] },
      [
        'spec.clusterIPs: Invalid value: ["None","x","y"]: \'None\' must be the first and only value',
        'spec.clusterIPs[1]: Invalid value: "x"',
        'spec.clusterIPs[2]: Invalid value: "y"',
        'spec.clusterIPs: Invalid value: ["None","x","y"]: may only hold up to 2 values',
      ],
    ],
    [
      'two of one family',
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', '10.0.0.2'], ports: [{ port: 1 }] },
      ['spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family'],
    ],
    [
      'families that do not fit',
      { clusterIP: '10.0.0.1', ipFamilies: ['IPv6', 'IPv6', 'IPX'], ipFamilyPolicy: 'Own', ports: [{ port: 1 }] },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv6"',
        'spec.ipFamilies[2]: Unsupported value: "IPX": supported values: "IPv4", "IPv6"',
        'spec.ipFamilyPolicy: Unsupported value: "Own": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
        'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
      ],
    ],
  ];
  for (const [title, spec, expected] of cases) {
    it(title, () => assert.deepEqual(made(spec).texts.map(short), expected));
  }

  it('takes source ranges by annotation', () => {
    const ranges = (text: string): string[] =>
      made(
        { type: 'LoadBalancer', ports: [{ port: 1 }] },
        { annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': text } },
      ).texts;
    assert.deepEqual([ranges(' 10.0.0.0/8, 192.0.2.0/24'), ranges('')], [[], []]);
    assert.match(
      ranges('x').join(),
      /^metadata\.annotations\[service\.beta\.kubernetes\.io\/load-balancer-source-ranges\]: Invalid value: "x": must be a list of IP ranges/,
    );
  });

  it('has a name for DNS', () => {
    assert.deepEqual(made({ ports: [{ port: 1 }] }, { name: '1b' }).texts.map(short), [
      'metadata.name: Invalid value: "1b"',
    ]);
  });
});

describe('services: updates', () => {
  it('keeps the address, which clients may leave out', () => {
    const old = stored({});
    assert.deepEqual(
      causes(old, (o) => void Object.assign(o.spec, { clusterIP: '10.0.0.77', clusterIPs: ['10.0.0.77'] })),
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.77"]: may not change once set'],
    );
    const without = update(
      service,
      'v1',
      old,
      (o) => void ['clusterIP', 'clusterIPs'].forEach((name) => delete o.spec[name]),
    );
    assert.deepEqual(
      [without.texts, without.object.spec.clusterIP, without.object.spec.clusterIPs],
      [[], '10.0.0.1', ['10.0.0.1']],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.spec.ipFamilies = ['IPv6'])),
      [
        'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
        'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
      ],
    );
  });

  it('becomes an external name and drops the fields that it does not have', () => {
    const old = stored({
      type: 'LoadBalancer',
      ports: [{ port: 80, nodePort: 30001 }],
      loadBalancerClass: 'example.com/c',
    });
    const updated = update(
      service,
      'v1',
      old,
      (o) => void Object.assign(o.spec, { type: 'ExternalName', externalName: 'x.example' }),
    );
    assert.deepEqual(updated.texts, []);
    assert.deepEqual(updated.as('v1').spec, {
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ExternalName',
      sessionAffinity: 'None',
      externalName: 'x.example',
      internalTrafficPolicy: 'Cluster',
    });
    const changed = causes(
      old,
      (o) =>
        void Object.assign(o.spec, {
          type: 'ClusterIP',
          externalTrafficPolicy: 'Local',
          ports: [{ port: 80, nodePort: 30002 }],
        }),
    );
    assert.deepEqual(changed, [
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set when `type` is 'NodePort' or 'LoadBalancer'",
    ]);
  });

  it('releases the second address on request only', () => {
    const old = stored({
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    const release: Change = (o) => void Object.assign(o.spec, { clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] });
    assert.deepEqual(causes(old, release), [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
    ]);
    assert.deepEqual(
      causes(old, (o) => {
        release(o);
        o.spec.ipFamilyPolicy = 'SingleStack';
      }),
      [],
    );
  });

  it('keeps the port of health checks as long as it has one', () => {
    const old = stored({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30009 });
    assert.deepEqual(
      causes(old, (o) => void (o.spec.healthCheckNodePort = 30010)),
      ['spec.healthCheckNodePort: Forbidden: field is immutable'],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.spec.externalTrafficPolicy = 'Cluster')),
      [],
    );
  });

  it('keeps the class of a load balancer', () => {
    const old = stored({ type: 'LoadBalancer', loadBalancerClass: 'a' });
    assert.deepEqual(
      causes(old, (o) => void (o.spec.loadBalancerClass = 'b')),
      ['spec.loadBalancerClass: Invalid value: "b": may not change once set'],
    );
    assert.deepEqual(
      causes(old, (o) => void delete o.spec.loadBalancerClass),
      ['spec.loadBalancerClass: Invalid value: null: may not change once set'],
    );
  });

  it('lists a bad label as often as stock servers do', () => {
    assert.equal(causes(stored({}), (o) => void (o.metadata.labels = { 'bad key!': '' })).length, 4);
  });

  it('splits spec and status', () => {
    const change: Change = (o) => {
      o.spec.selector = { a: 'b' };
      o.status = {
        loadBalancer: { ingress: [{ ip: 'x', hostname: '192.0.2.1' }, { hostname: '_' }, { ipMode: 'VIP' }] },
      };
    };
    assert.deepEqual(update(service, 'v1', stored({}), change).as('v1').status, { loadBalancer: {} });
    const status = update(service, 'v1', stored({ type: 'LoadBalancer' }), change, { subresource: 'status' });
    assert.equal(status.object.spec.selector, undefined);
    assert.deepEqual(
      status.texts.map((text) => text.replace(/: a lowercase.*/, '')),
      [
        'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
        'status.loadBalancer.ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
        'status.loadBalancer.ingress[1].hostname: Invalid value: "_"',
        'status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when `ip` is not set',
      ],
    );
    assert.deepEqual(update(service, 'v1', stored({}), change, { subresource: 'status' }).texts, [
      'status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is "LoadBalancer"',
    ]);
  });
});

describe('services: rows', () => {
  it('shows where a service is reached', () => {
    const row = (spec: object): unknown[] => cells(service, made(spec).object).slice(1, 5);
    assert.deepEqual(row({ ports: [{ port: 80 }], clusterIP: '10.0.0.1' }), [
      'ClusterIP',
      '10.0.0.1',
      '<none>',
      '80/TCP',
    ]);
    assert.deepEqual(row({ type: 'ExternalName', externalName: 'x' }), ['ExternalName', '<none>', 'x', '<none>']);
    assert.deepEqual(
      row({
        type: 'NodePort',
        ports: [
          { port: 80, nodePort: 30001 },
          { port: 53, protocol: 'UDP' },
        ],
        externalIPs: ['192.0.2.1'],
      }),
      ['NodePort', '<none>', '192.0.2.1', '80:30001/TCP,53/UDP'],
    );
    const balanced = stored({ type: 'LoadBalancer', externalIPs: ['192.0.2.9'], selector: { b: '2', a: '1' } });
    balanced.status.loadBalancer.ingress = [{ hostname: 'lb' }, { ip: '192.0.2.1' }];
    assert.deepEqual(cells(service, balanced).slice(3), ['192.0.2.1,lb,192.0.2.9', '80/TCP', '0s', 'a=1,b=2']);
    assert.equal(cells(service, stored({ type: 'LoadBalancer' }))[3], '<pending>');
    assert.deepEqual(
      [service.fieldLabels!['spec.type']!(balanced), service.fieldLabels!['spec.clusterIP']!(balanced)],
      ['LoadBalancer', '10.0.0.1'],
    );
  });
});
