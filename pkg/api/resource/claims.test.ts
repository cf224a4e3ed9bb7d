import assert from 'node:assert/strict';
import { cells, create, TEST_NOW, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { deviceClass } from './device-class/device-class.ts';
import { resourceClaimTemplate } from './resource-claim-template/resource-claim-template.ts';
import { resourceClaim } from './resource-claim/resource-claim.ts';
import { RESOURCE_V1 } from './resource-group.ts';

const metadata = { name: 'x' };
const exactly = { deviceClassName: 'gpu' };
const request = { name: 'one', exactly };
const claimOf = (devices: object): object => ({ metadata, spec: { devices } });
const textsOf = (devices: object): string[] => create(resourceClaim, RESOURCE_V1, claimOf(devices)).texts;
const requestTexts = (devices: object): string[] => textsOf({ requests: [{ name: 'one', ...devices }] });
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Without the long explanations of valid names. */
const short = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/: (a |prefix|name part|must consist).*/, ''));

describe('device class', () => {
  it('is stored with a generation and printed', () => {
    const object = stored(deviceClass, RESOURCE_V1, {
      metadata,
      spec: { selectors: [{ cel: { expression: 'true' } }], extendedResourceName: 'example.com/gpu' },
    });
    assert.equal(object.metadata.generation, 1);
    assert.deepEqual(cells(deviceClass, object), ['x', '0s']);
    assert.equal(
      update(deviceClass, RESOURCE_V1, object, (c) => delete c.spec.selectors).object.metadata.generation,
      2,
    );
    assert.equal(
      update(deviceClass, RESOURCE_V1, object, (c) => (c.metadata.labels = { a: 'b' })).object.metadata.generation,
      1,
    );
  });

  it('refuses what its devices cannot match', () => {
    const spec = {
      selectors: [{}, { cel: { expression: ' ' } }, { cel: { expression: 'x'.repeat(10241) } }],
      config: [
        {},
        { opaque: { driver: '', parameters: [1] } },
        { opaque: { driver: 'd', parameters: null } },
        { opaque: { driver: 'd', parameters: { a: 'x'.repeat(10240) } } },
      ],
      extendedResourceName: 'cpu',
    };
    assert.deepEqual(short(create(deviceClass, RESOURCE_V1, { metadata, spec }).texts), [
      'spec.selectors[0].cel: Required value',
      'spec.selectors[1].cel.expression: Invalid value: " ": compilation failed: the expression is empty',
      'spec.selectors[2].cel.expression: Too long: must have at most 10240 bytes',
      'spec.config[0].opaque: Required value',
      'spec.config[1].opaque.driver: Required value',
      'spec.config[1].opaque.driver: Invalid value: ""',
      'spec.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
      'spec.config[2].opaque.parameters: Required value',
      'spec.config[3].opaque.parameters: Too long: must have at most 10240 bytes',
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
    ]);
    const lists = { selectors: many(33, () => ({})), config: many(33, () => ({})) };
    assert.deepEqual(create(deviceClass, RESOURCE_V1, { metadata, spec: lists }).texts, [
      'spec.selectors: Too many: 33: must have at most 32 items',
      'spec.config: Too many: 33: must have at most 32 items',
    ]);
  });

  it('keeps stored settings above the present limit', () => {
    const object = stored(deviceClass, RESOURCE_V1, {
      metadata,
      spec: { config: [{ opaque: { driver: 'd', parameters: {} } }] },
    });
    object.spec.config[0].opaque.parameters = { a: 'x'.repeat(10240) };
    assert.deepEqual(update(deviceClass, RESOURCE_V1, object, (c) => (c.metadata.labels = { a: 'b' })).texts, []);
    assert.deepEqual(update(deviceClass, RESOURCE_V1, object, (c) => (c.spec.config[0].opaque.driver = 'e')).texts, [
      'spec.config[0].opaque.parameters: Too long: must have at most 10240 bytes',
    ]);
  });
});

describe('resource claim', () => {
  const allocated = {
    devices: {
      results: [
        { request: 'one', driver: 'd', pool: 'p/q', device: 'gpu-0' },
        { request: 'one', driver: 'd', pool: 'p/q', device: 'gpu-1' },
      ],
    },
  };
  const consumer = { resource: 'pods', name: 'p', uid: 'u' };
  const statusTexts = (object: any, change: (claim: any) => void): string[] =>
    short(update(resourceClaim, RESOURCE_V1, object, change, { subresource: 'status' }).texts);

  it('sets defaults', () => {
    const tolerations = [{ key: 'a' }];
    const { spec } = stored(
      resourceClaim,
      RESOURCE_V1,
      claimOf({
        requests: [
          { name: 'one', exactly: { ...exactly, tolerations } },
          {
            name: 'two',
            firstAvailable: [
              { name: 'a', ...exactly },
              { name: 'b', ...exactly, allocationMode: 'All' },
            ],
          },
        ],
      }),
    );
    assert.deepEqual(spec.devices.requests, [
      {
        name: 'one',
        exactly: { ...exactly, allocationMode: 'ExactCount', count: 1, tolerations: [{ key: 'a', operator: 'Equal' }] },
      },
      {
        name: 'two',
        firstAvailable: [
          { name: 'a', ...exactly, allocationMode: 'ExactCount', count: 1 },
          { name: 'b', ...exactly, allocationMode: 'All' },
        ],
      },
    ]);
  });

  it('refuses requests that cannot be met', () => {
    assert.deepEqual(requestTexts({}), [
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
    ]);
    assert.match(
      requestTexts({ exactly, firstAvailable: [{ name: 'a', ...exactly }] })[0]!,
      /^spec.devices.requests\[0\]: Invalid value: .*but multiple fields are set$/,
    );
    assert.deepEqual(requestTexts({ exactly: { allocationMode: 'All', count: 2 } }), [
      'spec.devices.requests[0].exactly.deviceClassName: Required value',
      "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
    ]);
    assert.deepEqual(requestTexts({ exactly: { ...exactly, count: -1 } }), [
      'spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero',
    ]);
    assert.deepEqual(requestTexts({ exactly: { ...exactly, allocationMode: 'Some' } }), [
      'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
    ]);
    const tolerations = [
      { operator: 'Exists', value: 'v' },
      { operator: 'Like', effect: 'Never' },
      { key: '-', value: '/' },
    ];
    assert.deepEqual(short(requestTexts({ exactly: { ...exactly, tolerations } })), [
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      'spec.devices.requests[0].exactly.tolerations[1].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      'spec.devices.requests[0].exactly.tolerations[1].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices.requests[0].exactly.tolerations[2].key: Invalid value: "-"',
      'spec.devices.requests[0].exactly.tolerations[2].value: Invalid value: "/"',
    ]);
    assert.deepEqual(short(textsOf({ requests: [request, request, { name: 'A', exactly }] })), [
      'spec.devices.requests[2].name: Invalid value: "A"',
      'spec.devices.requests[1]: Duplicate value: "one"',
    ]);
  });

  it('bounds its lists', () => {
    assert.deepEqual(requestTexts({ firstAvailable: many(9, (i) => ({ name: `n${i}`, ...exactly })) }), [
      'spec.devices.requests[0].firstAvailable: Too many: 9: must have at most 8 items',
    ]);
    assert.deepEqual(
      textsOf({
        requests: many(33, (i) => ({ name: `n${i}`, exactly })),
        constraints: many(33, () => ({})),
        config: many(33, () => ({})),
      }),
      ['requests', 'constraints', 'config'].map(
        (name) => `spec.devices.${name}: Too many: 33: must have at most 32 items`,
      ),
    );
    assert.deepEqual(requestTexts({ exactly: { ...exactly, tolerations: many(17, () => ({ operator: 'Exists' })) } }), [
      'spec.devices.requests[0].exactly.tolerations: Too many: 17: must have at most 16 items',
    ]);
  });

  it('refers to requests that it has', () => {
    const requests = [request, { name: 'two', firstAvailable: [{ name: 'a', ...exactly }] }];
    const none =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    const names = ['one', 'two', 'two/a', 'one/a', 'three', 'two/a/b', 'two'];
    assert.deepEqual(textsOf({ requests, constraints: [{ requests: names, matchAttribute: 'd/a' }] }), [
      ...[
        [3, 'one/a'],
        [4, 'three'],
        [5, 'two/a/b'],
      ].map(([i, name]) => `spec.devices.constraints[0].requests[${i}]: Invalid value: "${name}": ${none}`),
      'spec.devices.constraints[0].requests[6]: Duplicate value: "two"',
    ]);
    assert.deepEqual(textsOf({ requests, config: [{ requests: ['no'], opaque: { driver: 'd', parameters: {} } }] }), [
      `spec.devices.config[0].requests[0]: Invalid value: "no": ${none}`,
    ]);
  });

  it('compares attributes by their full names', () => {
    const texts = (constraint: object): string[] => short(textsOf({ requests: [request], constraints: [constraint] }));
    assert.deepEqual(texts({ distinctAttribute: 'example.com/numa' }), []);
    assert.deepEqual(texts({}), [
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ]);
    assert.deepEqual(texts({ matchAttribute: 'numa' }), [
      'spec.devices.constraints[0].matchAttribute: Invalid value: "numa"',
    ]);
    assert.deepEqual(texts({ matchAttribute: 'a/b/c' }), [
      'spec.devices.constraints[0].matchAttribute: Invalid value: "a/b/c": must not contain more than one slash',
    ]);
    assert.deepEqual(texts({ matchAttribute: `/${'x'.repeat(33)}` }), [
      'spec.devices.constraints[0].matchAttribute: Invalid value: "": the domain must not be empty',
      'spec.devices.constraints[0].matchAttribute: Too long: must have at most 32 bytes',
    ]);
  });

  it('never changes', () => {
    const object = stored(resourceClaim, RESOURCE_V1, claimOf({ requests: [request] }));
    assert.match(
      update(resourceClaim, RESOURCE_V1, object, (c) => (c.spec.devices.requests[0].name = 'two')).texts[0]!,
      /^spec: Invalid value: .*: field is immutable$/,
    );
    assert.deepEqual(update(resourceClaim, RESOURCE_V1, object, (c) => (c.metadata.labels = { a: 'b' })).texts, []);
  });

  it('is allocated, reserved, used and given back', () => {
    const object = stored(resourceClaim, RESOURCE_V1, {
      ...claimOf({ requests: [request] }),
      status: { allocation: allocated },
    });
    assert.deepEqual(cells(resourceClaim, object), ['x', 'pending', '0s']);
    assert.deepEqual(
      statusTexts(object, (c) => (c.status.reservedFor = [consumer])),
      ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
    );
    const used = update(
      resourceClaim,
      RESOURCE_V1,
      object,
      (c) => {
        c.status = {
          allocation: allocated,
          reservedFor: [consumer],
          devices: [{ driver: 'd', pool: 'p/q', device: 'gpu-0', conditions: null }],
        };
        c.metadata.labels = { a: 'b' };
      },
      { subresource: 'status' },
    );
    assert.deepEqual(used.texts, []);
    assert.equal(used.object.metadata.labels, undefined);
    assert.deepEqual(cells(resourceClaim, used.object), ['x', 'allocated,reserved', '0s']);
    used.object.metadata.deletionTimestamp = TEST_NOW;
    used.object.metadata.finalizers = ['a/b'];
    assert.deepEqual(cells(resourceClaim, used.object), ['x', 'deleted,allocated,reserved', '0s']);
    assert.deepEqual(
      statusTexts(used.object, (c) => c.status.reservedFor.push({ ...consumer, uid: 'v' })),
      [
        'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
      ],
    );
    assert.match(
      statusTexts(used.object, (c) => c.status.allocation.devices.results.pop())[0]!,
      /^status.allocation: Invalid value: .*: field is immutable$/,
    );
    const freed = update(
      resourceClaim,
      RESOURCE_V1,
      used.object,
      (c) => {
        delete c.status.allocation;
        delete c.status.reservedFor;
      },
      { subresource: 'status' },
    );
    assert.deepEqual(freed.texts, []);
    assert.equal(freed.object.status.devices, undefined);
    assert.deepEqual(cells(resourceClaim, freed.object), ['x', 'deleted', '0s']);
  });

  it('refuses a status that matches no request', () => {
    const object = stored(resourceClaim, RESOURCE_V1, claimOf({ requests: [request] }));
    assert.deepEqual(
      statusTexts(
        object,
        (c) =>
          (c.status = {
            allocation: {
              devices: {
                results: [
                  { request: 'no', driver: '', pool: 'p/', device: 'A', shareID: 'X', bindingConditions: ['a', 'a'] },
                ],
                config: [{ source: 'Nobody' }],
              },
              nodeSelector: { nodeSelectorTerms: [] },
            },
            reservedFor: [{ resource: '', name: '', uid: '' }],
          }),
      ),
      [
        'status.reservedFor[0].resource: Required value',
        'status.reservedFor[0].name: Required value',
        'status.reservedFor[0].uid: Required value',
        'status.allocation.devices.results[0].request: Invalid value: "no": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
        'status.allocation.devices.results[0].driver: Required value',
        'status.allocation.devices.results[0].driver: Invalid value: ""',
        'status.allocation.devices.results[0].pool: Invalid value: ""',
        'status.allocation.devices.results[0].device: Invalid value: "A"',
        'status.allocation.devices.results[0].bindingConditions[1]: Duplicate value: "a"',
        'status.allocation.devices.results[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
        'status.allocation.devices.results[0].shareID: Invalid value: "X": uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
        'status.allocation.devices.config[0].source: Unsupported value: "Nobody": supported values: "FromClaim", "FromClass"',
        'status.allocation.devices.config[0].opaque: Required value',
        'status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    );
  });

  it('checks the device status of drivers', () => {
    const object = stored(resourceClaim, RESOURCE_V1, claimOf({ requests: [request] }));
    const device = { driver: 'd', pool: 'p/q', device: 'gpu-0' };
    assert.deepEqual(
      statusTexts(
        object,
        (c) =>
          (c.status = {
            allocation: allocated,
            devices: [
              { ...device, device: 'gpu-2', conditions: null },
              {
                ...device,
                conditions: [
                  { type: 'Ready', status: 'Maybe', reason: 'R', message: '', lastTransitionTime: TEST_NOW },
                ],
                data: [1],
              },
              {
                ...device,
                conditions: many(9, (i) => ({
                  type: `T${i}`,
                  status: 'True',
                  reason: 'R',
                  message: '',
                  lastTransitionTime: TEST_NOW,
                })),
              },
              {
                ...device,
                device: 'gpu-1',
                conditions: null,
                networkData: {
                  interfaceName: 'x'.repeat(257),
                  hardwareAddress: 'x'.repeat(129),
                  ips: ['10.0.0.1', '10.0.0.5/24', '2001:DB8::1/64'],
                },
              },
            ],
          }),
      ),
      [
        'status.devices[0]: Invalid value: "d/p/q/gpu-2": must be an allocated device in the claim',
        'status.devices[1].conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
        'status.devices[1].data: Invalid value: "<value omitted>": must be a valid JSON object',
        'status.devices[2].conditions: Too many: 9: must have at most 8 items',
        'status.devices[3].networkData.interfaceName: Too long: must have at most 256 bytes',
        'status.devices[3].networkData.hardwareAddress: Too long: must have at most 128 bytes',
        'status.devices[3].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
        'status.devices[3].networkData.ips[2]: Invalid value: "2001:DB8::1/64": must be in canonical form ("2001:db8::1/64")',
        'status.devices[2]: Duplicate value: "d/p/q/gpu-0"',
      ],
    );
  });
});

describe('resource claim template', () => {
  it('holds a claim that never changes', () => {
    const object = stored(resourceClaimTemplate, RESOURCE_V1, {
      metadata,
      spec: { metadata: { labels: { a: 'b' } }, spec: { devices: { requests: [request] } } },
    });
    assert.equal(object.spec.spec.devices.requests[0].exactly.count, 1);
    assert.deepEqual(cells(resourceClaimTemplate, object), ['x', '0s']);
    assert.match(
      update(resourceClaimTemplate, RESOURCE_V1, object, (t) => (t.spec.metadata.labels = {})).texts[0]!,
      /^spec: Invalid value: .*: field is immutable$/,
    );
  });

  it('refuses a claim that would be refused', () => {
    assert.deepEqual(
      create(resourceClaimTemplate, RESOURCE_V1, {
        metadata,
        spec: { metadata: { name: 'n' }, spec: { devices: { requests: [{ name: 'one' }] } } },
      }).texts,
      [
        'spec.metadata.name: Forbidden: cannot be set',
        'spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      ],
    );
  });
});
