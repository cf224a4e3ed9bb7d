import assert from 'node:assert/strict';
import { cells, create, TEST_NOW, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { RESOURCE_V1 } from '../resource-group.ts';
import { resourceSlice } from './resource-slice.ts';

const metadata = { name: 'x' };
const slice = { driver: 'gpu.example.com', nodeName: 'n', pool: { name: 'n', generation: 1, resourceSliceCount: 1 } };
const short = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/: (a |prefix|name part).*/, ''));
const textsOf = (spec: object): string[] =>
  short(create(resourceSlice, RESOURCE_V1, { metadata, spec: { ...slice, ...spec } }).texts);
const deviceTexts = (device: object, spec: object = {}): string[] =>
  textsOf({ ...spec, devices: [{ name: 'd', ...device }] }).map((text) => text.replace('spec.devices[0]', 'device'));
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const entries = (count: number, make: () => object): Record<string, object> =>
  Object.fromEntries(many(count, (i) => [`k${i}`, make()]));

describe('resource slice', () => {
  it('is stored with a generation, printed and selected', () => {
    const object = stored(resourceSlice, RESOURCE_V1, {
      metadata,
      spec: { ...slice, devices: [{ name: 'd', taints: [{ key: 'a', effect: 'None' }] }] },
    });
    assert.deepEqual(cells(resourceSlice, object), ['x', 'n', 'gpu.example.com', 'n', '0s']);
    assert.equal(object.metadata.generation, 1);
    assert.equal(object.spec.devices[0].taints[0].timeAdded, TEST_NOW);
    assert.equal(
      update(resourceSlice, RESOURCE_V1, object, (s) => (s.spec.pool.generation = 2)).object.metadata.generation,
      2,
    );
    assert.deepEqual(
      Object.entries(resourceSlice.fieldLabels!).map(([label, value]) => [label, value(object)]),
      [
        ['spec.nodeName', 'n'],
        ['spec.driver', 'gpu.example.com'],
      ],
    );
    assert.deepEqual(resourceSlice.warnings!({ ...object, spec: { ...object.spec, driver: 'GPU' } }, undefined), [
      'spec.driver: driver names should be lowercase; "GPU" contains uppercase characters',
    ]);
  });

  it('selects its nodes in one way', () => {
    const ways = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';
    assert.deepEqual(textsOf({ nodeName: undefined }), [`spec: Required value: exactly one of ${ways} is required`]);
    assert.deepEqual(textsOf({ allNodes: true }), [
      `spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": exactly one of ${ways} is required, but multiple fields are set`,
    ]);
    assert.deepEqual(textsOf({ nodeName: '', allNodes: false, perDeviceNodeSelection: false }), [
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      'spec.allNodes: Invalid value: false: must be either unset or set to true',
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
      `spec: Required value: exactly one of ${ways} is required`,
    ]);
    const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    assert.match(
      textsOf({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term, term] } })[0]!,
      /^spec.nodeSelector.nodeSelectorTerms: .*: must have exactly one node selector term$/,
    );
    assert.deepEqual(textsOf({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term] } }), []);
  });

  it('belongs to a pool of a driver permanently', () => {
    assert.deepEqual(textsOf({ driver: '', pool: { name: '', generation: -1, resourceSliceCount: 0 } }), [
      'spec.driver: Required value',
      'spec.driver: Invalid value: ""',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
    ]);
    const object = stored(resourceSlice, RESOURCE_V1, { metadata, spec: slice });
    assert.deepEqual(
      update(resourceSlice, RESOURCE_V1, object, (s) =>
        Object.assign(s.spec, { driver: 'e', nodeName: 'm', pool: { ...slice.pool, name: 'q' } }),
      ).texts,
      [
        'spec.pool.name: Invalid value: "q": field is immutable',
        'spec.driver: Invalid value: "e": field is immutable',
        'spec.nodeName: Invalid value: "m": field is immutable',
      ],
    );
  });

  it('bounds the number of devices, and of counters', () => {
    const devices = (count: number, device: object = {}): string[] =>
      textsOf({ devices: many(count, (i) => ({ name: `d${i}`, ...device })) });
    assert.deepEqual(devices(128), []);
    assert.deepEqual(devices(129), ['spec.devices: Too many: 129: must have at most 128 items']);
    assert.deepEqual(devices(65, { taints: [{ key: 'a', effect: 'None' }] }), [
      'spec.devices: Too many: 65: must have at most 64 items',
    ]);
    assert.deepEqual(textsOf({ devices: [{ name: 'd' }, { name: 'd' }] }), ['spec.devices[1]: Duplicate value: "d"']);
    const counters = { c: { value: '1' } };
    assert.deepEqual(textsOf({ sharedCounters: [{ name: 's', counters }], devices: [{ name: 'd' }] }), [
      'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    ]);
    assert.deepEqual(
      textsOf({
        sharedCounters: [
          { name: '' },
          { name: 'S', counters: { C: { value: '1' } } },
          { name: 'ok', counters: entries(33, () => ({ value: '1' })) },
        ],
      }),
      [
        'spec.sharedCounters[0].name: Required value',
        'spec.sharedCounters[0].counters: Required value',
        'spec.sharedCounters[1].name: Invalid value: "S"',
        'spec.sharedCounters[1].counters: Invalid value: "C"',
        'spec.sharedCounters[2].counters: Too many: 33: must have at most 32 items',
      ],
    );
    assert.deepEqual(textsOf({ sharedCounters: many(9, (i) => ({ name: `s${i}`, counters })) }), [
      'spec.sharedCounters: Too many: 9: must have at most 8 items',
    ]);
    assert.deepEqual(deviceTexts({ consumesCounters: [{ counterSet: '', counters }, { counterSet: 's' }] }), [
      'device.consumesCounters[0].counterSet: Required value',
      'device.consumesCounters[1].counters: Required value',
    ]);
  });

  it('describes devices by attributes of one value', () => {
    assert.deepEqual(
      deviceTexts({
        attributes: {
          a: {},
          b: { int: 1, bool: false },
          c: { string: 'x'.repeat(65) },
          'example.com/d': { version: '1.2' },
          e: { version: `1.0.0-${'a'.repeat(65)}` },
          '-': { int: 0 },
        },
      }).map((text) => text.replace(/(Invalid value: )(map|").*: /, '$1')),
      [
        'device.attributes: Invalid value: "-"',
        'device.attributes[a]: Invalid value: exactly one value must be specified',
        'device.attributes[b]: Invalid value: {"bool":false,"int":1}: exactly one value must be specified',
        'device.attributes[c].string: Too long: must have at most 64 bytes',
        'device.attributes[e].version: Invalid value: must be a string compatible with semver.org spec 2.0.0',
        'device.attributes[e].version: Too long: must have at most 64 bytes',
        'device.attributes[example.com/d].version: Invalid value: must be a string compatible with semver.org spec 2.0.0',
      ],
    );
    assert.deepEqual(
      deviceTexts({ attributes: entries(20, () => ({ int: 1 })), capacity: entries(13, () => ({ value: '1' })) }),
      ['device: Invalid value: 33: the total number of attributes and capacities must not exceed 32'],
    );
  });

  it('lets claims share capacity by its policy', () => {
    const texts = (requestPolicy: object, device: object = { allowMultipleAllocations: true }): string[] =>
      deviceTexts({ ...device, capacity: { m: { value: '8', requestPolicy } } }).map((text) =>
        text.replace('device.capacity[m].requestPolicy', 'policy'),
      );
    assert.deepEqual(texts({ default: '1', validValues: ['1'] }, {}), [
      'policy: Forbidden: allowMultipleAllocations must be true',
    ]);
    assert.deepEqual(texts({ default: '1', validValues: ['1', '2', '8'] }), []);
    assert.deepEqual(texts({ default: '1', validValues: ['1'], validRange: { min: '1' } }), [
      'policy: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    ]);
    assert.deepEqual(texts({ default: null, validValues: ['1'] }), [
      'policy.default: Required value: required when validValues is defined',
    ]);
    assert.deepEqual(texts({ default: '3', validValues: ['2', '1', '9', '9'] }), [
      'policy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
      'policy.validValues[2]: Invalid value: "9": option is larger than capacity value: 8',
      'policy.validValues[3]: Invalid value: "9": option is larger than capacity value: 8',
      'policy.validValues[3]: Duplicate value: "9"',
      'policy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ]);
    assert.deepEqual(texts({ default: '3', validRange: { min: '1', max: '7', step: '2' } }), []);
    assert.deepEqual(texts({ default: '2', validRange: { min: '1', max: '8', step: '2' } }), [
      'policy.validRange.step: Invalid value: "2": value is not a multiple of a given step (2) from (1)',
      'policy.validRange.step: Invalid value: "8": value is not a multiple of a given step (2) from (1)',
    ]);
    assert.deepEqual(texts({ default: '0', validRange: { min: '9', max: '8', step: '0' } }), [
      'policy.validRange.min: Invalid value: "9": min is larger than capacity value: 8',
      'policy.validRange.default: Invalid value: "0": default is less than min: 9',
      'policy.validRange.max: Invalid value: "9": min is larger than max: 8',
      'policy.validRange.step: Invalid value: "0": must be greater than zero',
    ]);
  });

  it('selects nodes per device where it says so', () => {
    const each = { nodeName: undefined, perDeviceNodeSelection: true };
    const one =
      'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    assert.deepEqual(deviceTexts({ allNodes: true }, each), []);
    assert.deepEqual(deviceTexts({}, each), [`device: Required value: ${one}`]);
    assert.deepEqual(deviceTexts({ nodeName: 'n', allNodes: true }, each), [
      `device: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${one}`,
    ]);
    assert.match(deviceTexts({ nodeName: 'n' })[0]!, /can only be set if `perDeviceNodeSelection` is set to true/);
  });

  it('checks taints and binding conditions', () => {
    assert.deepEqual(
      deviceTexts({
        taints: [
          { key: '', value: '/', effect: '' },
          { key: 'a', effect: 'Often' },
        ],
      }),
      [
        'device.taints[0].key: Invalid value: ""',
        'device.taints[0].key: Invalid value: ""',
        'device.taints[0].value: Invalid value: "/"',
        'device.taints[0].effect: Required value',
        'device.taints[1].effect: Unsupported value: "Often": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    );
    assert.deepEqual(deviceTexts({ bindingConditions: ['a', 'b'], bindingFailureConditions: ['b', 'c', 'c'] }), [
      'device.bindingFailureConditions[0]: Invalid value: "b": bindingFailureConditions must not overlap with bindingConditions',
      'device.bindingFailureConditions[2]: Duplicate value: "c"',
    ]);
    assert.deepEqual(deviceTexts({ bindingFailureConditions: ['b'] }), [
      'device.bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
    ]);
  });
});
