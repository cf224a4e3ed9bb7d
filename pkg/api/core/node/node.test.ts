import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { node } from './node.ts';

function made(spec: object, rest: object = {}): ReturnType<typeof create> {
  return create(node, 'v1', { metadata: { name: 'n' }, spec, ...rest });
}

function stored(spec: object, rest: object = {}): ReturnType<typeof create>['object'] {
  const { object, texts } = made(spec, rest);
  assert.deepEqual(texts, []);
  object.metadata.resourceVersion = '1';
  return object;
}

describe('nodes', () => {
  it('keeps podCIDR and podCIDRs alike', () => {
    const ranges = (spec: object): unknown[] => {
      const { podCIDR, podCIDRs } = made(spec).object.spec;
      return [podCIDR, podCIDRs];
    };
    assert.deepEqual(ranges({ podCIDR: '10.1.0.0/24' }), ['10.1.0.0/24', ['10.1.0.0/24']]);
    assert.deepEqual(ranges({ podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }), ['10.1.0.0/24', ['10.1.0.0/24', 'fd00::/64']]);
    assert.deepEqual(ranges({ podCIDR: '10.2.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }), [
      '10.2.0.0/24',
      ['10.2.0.0/24'],
    ]);
  });

  it('may be registered with its status, of which all capacity is allocatable', () => {
    const { status } = made({}, { status: { capacity: { cpu: '4', memory: '8Gi' } } }).as('v1');
    assert.deepEqual(status.allocatable, { cpu: '4', memory: '8Gi' });
    assert.equal(status.nodeInfo.architecture, '');
    assert.deepEqual(made({}, { status: { capacity: { pods: '1500m' }, allocatable: { cpu: '-1' } } }).texts, [
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it('checks pod ranges', () => {
    const causes = (...podCIDRs: string[]): string[] => made({ podCIDRs }).texts;
    assert.deepEqual(causes('x'), ['spec.podCIDRs[0]: Invalid value: ["x"]: must be valid CIDR']);
    assert.deepEqual(causes('10.1.0.0/24', '10.1.0.0/24'), [
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family',
      'spec.podCIDRs[1]: Duplicate value: "10.1.0.0/24"',
    ]);
  });

  it('checks taints, on updates twice', () => {
    const effects = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"';
    assert.deepEqual(
      made({
        taints: [
          { key: 'a', effect: '' },
          { key: 'a', value: '-', effect: 'No' },
        ],
      }).texts.map((t) => t.replace(/: a valid label.*/, '')),
      [
        'metadata.taints[0].effect: Required value',
        'metadata.taints[1].value: Invalid value: "-"',
        `metadata.taints[1].effect: Unsupported value: "No": ${effects}`,
      ],
    );
    const duplicate =
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair';
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule', value: 'x' },
    ];
    assert.deepEqual(update(node, 'v1', stored({}), (o) => void (o.spec.taints = taints)).texts, [
      duplicate,
      duplicate,
    ]);
  });

  it('fixes ranges, provider and external id once they are set', () => {
    const old = stored({ podCIDR: '10.1.0.0/24', providerID: 'p', externalID: 'e' });
    assert.deepEqual(
      update(
        node,
        'v1',
        stored({}),
        (o) => void Object.assign(o.spec, { podCIDR: '10.1.0.0/24', providerID: 'p', unschedulable: true }),
      ).texts,
      [],
    );
    assert.deepEqual(
      update(
        node,
        'v1',
        old,
        (o) => void Object.assign(o.spec, { podCIDR: '10.2.0.0/24', providerID: 'q', externalID: 'f' }),
      ).texts,
      [
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        'spec.externalID: Forbidden: may not be updated',
      ],
    );
  });

  it('checks status updates', () => {
    const old = stored({});
    const updated = update(
      node,
      'v1',
      old,
      (o) => {
        o.spec.unschedulable = true;
        o.status.addresses = [
          { type: 'Hostname', address: 'n' },
          { type: 'Hostname', address: 'n' },
        ];
      },
      { subresource: 'status' },
    );
    assert.deepEqual(updated.texts, ['status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"n"}']);
    assert.equal(updated.object.spec.unschedulable, undefined);
  });

  it('checks where agents take their configuration from', () => {
    const old = stored({});
    assert.deepEqual(update(node, 'v1', old, (o) => void (o.spec.configSource = {})).texts, [
      'spec.configSource: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil',
    ]);
    assert.deepEqual(
      update(node, 'v1', old, (o) => void (o.spec.configSource = { configMap: { uid: 'u', resourceVersion: '1' } }))
        .texts,
      [
        'spec.configSource.configMap.uid: Forbidden: uid must not be set in spec',
        'spec.configSource.configMap.resourceVersion: Forbidden: resourceVersion must not be set in spec',
        'spec.configSource.configMap.namespace: Required value: namespace must be set',
        'spec.configSource.configMap.name: Required value: name must be set',
        'spec.configSource.configMap.kubeletConfigKey: Required value: kubeletConfigKey must be set',
      ],
    );
    assert.deepEqual(
      update(
        node,
        'v1',
        old,
        (o) => void (o.status.config = { active: { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } } }),
        { subresource: 'status' },
      ).texts,
      [
        'status.config.active.configMap.uid: Required value: uid must be set in status',
        'status.config.active.configMap.resourceVersion: Required value: resourceVersion must be set in status',
      ],
    );
  });

  it('prints rows', () => {
    const object = stored({});
    assert.deepEqual(cells(node, object), [
      'n',
      'Unknown',
      '<none>',
      '0s',
      '',
      '<none>',
      '<none>',
      '<unknown>',
      '<unknown>',
      '<unknown>',
    ]);
    object.spec.unschedulable = true;
    object.metadata.labels = {
      'node-role.kubernetes.io/b': '',
      'node-role.kubernetes.io/': 'x',
      'kubernetes.io/role': 'a',
    };
    object.status.conditions = [{ type: 'Ready', status: 'False' }];
    object.status.addresses = [
      { type: 'Hostname', address: 'h' },
      { type: 'InternalIP', address: '192.0.2.1' },
    ];
    Object.assign(object.status.nodeInfo, {
      kubeletVersion: 'v1',
      osImage: 'os',
      kernelVersion: 'k',
      containerRuntimeVersion: 'r',
    });
    assert.deepEqual(cells(node, object), [
      'n',
      'NotReady,SchedulingDisabled',
      'a,b',
      '0s',
      'v1',
      '192.0.2.1',
      '<none>',
      'os',
      'k',
      'r',
    ]);
    assert.equal(node.fieldLabels!['spec.unschedulable']!(object), 'true');
  });

  it('warns of fields that nothing reads', () => {
    assert.equal(node.warnings!(stored({ externalID: 'x', configSource: { configMap: {} } }), undefined).length, 2);
    assert.deepEqual(node.warnings!(stored({}), undefined), []);
  });
});
