import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { networkPolicy } from './network-policy.ts';

const V1 = 'networking.k8s.io/v1';

function problems(spec: object): string[] {
  return create(networkPolicy, V1, { metadata: { name: 'p' }, spec }).texts;
}

describe('network policy', () => {
  it('fills in protocol and types', () => {
    const body = { metadata: { name: 'p' }, spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } };
    for (const version of [V1, 'extensions/v1beta1']) {
      const { object, as } = create(networkPolicy, version, body);
      assert.deepEqual(as(version).spec, {
        podSelector: {},
        ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }],
        policyTypes: ['Ingress'],
      });
      assert.deepEqual(cells(networkPolicy, object), ['p', '<none>', '0s']);
    }
    const { object } = create(networkPolicy, V1, {
      metadata: { name: 'p' },
      spec: { podSelector: { matchLabels: { a: 'b' } }, egress: [{}] },
    });
    assert.deepEqual(object.spec.policyTypes, ['Ingress', 'Egress']);
    assert.equal(cells(networkPolicy, object)[1], 'a=b');
  });

  it('has no status', () => {
    const { as } = create(networkPolicy, V1, {
      metadata: { name: 'p' },
      spec: {},
      status: { conditions: [{ type: 'Accepted' }] },
    });
    assert.equal('status' in as(V1), false);
  });

  const cases: [string, object, string[]][] = [
    [
      'an unknown protocol',
      { ingress: [{ ports: [{ protocol: 'ICMP', port: 1 }] }] },
      ['spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'],
    ],
    [
      'an end without port',
      { ingress: [{ ports: [{ endPort: 5 }] }] },
      ['spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified'],
    ],
    [
      'an end with a named port',
      { egress: [{ ports: [{ port: 'http', endPort: 5 }] }] },
      ['spec.egress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is non-numeric'],
    ],
    [
      'an end below the port',
      { egress: [{ ports: [{ port: 10, endPort: 5 }] }] },
      ['spec.egress[0].ports[0].endPort: Invalid value: 10: must be greater than or equal to `port`'],
    ],
    ['an empty peer', { ingress: [{ from: [{}] }] }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      'two kinds of peer',
      { egress: [{ to: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
      ['spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer'],
    ],
    ['no range', { ingress: [{ from: [{ ipBlock: {} }] }] }, ['spec.ingress[0].from[0].ipBlock.cidr: Required value']],
    [
      'a bad range',
      { ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0' } }] }] },
      ['spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0": not a valid CIDR'],
    ],
    [
      'an exception outside',
      {
        ingress: [
          { from: [{ ipBlock: { cidr: '10.1.0.0/16', except: ['10.1.2.0/24', '10.2.0.0/24', '10.1.0.0/16'] } }] },
        ],
      },
      [
        'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "10.2.0.0/24": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "10.1.0.0/16": must be a strict subset of `cidr`',
      ],
    ],
    [
      'an unknown type',
      { policyTypes: ['Both'] },
      ['spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"'],
    ],
    [
      'too many types',
      { policyTypes: ['Ingress', 'Egress', 'Ingress'] },
      ['spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes'],
    ],
  ];
  for (const [name, spec, expected] of cases) {
    it(`refuses ${name}`, () => assert.deepEqual(problems(spec), expected));
  }

  it('reports errors of an update twice, as stock servers do', () => {
    const { object } = create(networkPolicy, V1, { metadata: { name: 'p' }, spec: {} });
    object.metadata.resourceVersion = '1';
    assert.equal(update(networkPolicy, V1, object, (p) => (p.spec.policyTypes = ['Both'])).texts.length, 2);
  });
});
