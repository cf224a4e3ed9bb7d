import assert from 'node:assert/strict';
import type { Device, DeviceClaim, ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.ts';
import { TestCluster, testNode } from '../scheduler-testing.ts';
import { deviceAllocator } from './allocate-devices.ts';

const NODE = testNode('n', { labels: { rack: '1' } });
const gpu = (name: string, more: Partial<Device> = {}): Device => ({ name, ...more });
const bus = (name: string, version: string): Device => gpu(name, { attributes: { bus: { string: version } } });
const slice = (devices: Device[], spec: Partial<ResourceSlice['spec']> = { nodeName: 'n' }): ResourceSlice => ({
  metadata: { name: `s-${spec.pool?.generation ?? 0}-${devices[0]?.name}` },
  spec: { driver: 'gpu.org', pool: { name: 'n', generation: 1, resourceSliceCount: 1 }, devices, ...spec },
});
const claim = (devices: DeviceClaim, name = 'c'): ResourceClaim => ({
  metadata: { name, uid: name },
  spec: { devices },
  status: {},
});
const exactly = (more: object = {}) => ({ deviceClassName: 'gpu', ...more });

/** The devices of each result, or what is wrong. */
function allocated(slices: readonly ResourceSlice[], claims: readonly ResourceClaim[], inUse: string[] = []): string {
  const { devices } = new TestCluster().cache.view();
  const lookup = { ...devices, slices: () => slices, inUse: () => new Set(inUse) };
  const found = deviceAllocator(claims, lookup)(NODE);
  if (found === undefined) return 'none';
  return [...found.values()]
    .map(({ devices: { results = [] } }) => results.map(({ request, device }) => `${request}=${device}`).join(' '))
    .join('; ');
}

describe('the allocation of devices', () => {
  const two = { requests: [{ name: 'r', exactly: exactly({ count: 2 }) }] };
  const one = { requests: [{ name: 'r', exactly: exactly() }] };
  const all = { requests: [{ name: 'r', exactly: exactly({ allocationMode: 'All' }) }] };
  const abc = slice([gpu('a'), gpu('b'), gpu('c')]);

  const cases: readonly (readonly [
    what: string,
    slices: readonly ResourceSlice[],
    claims: readonly ResourceClaim[],
    result: string,
    inUse?: string[],
  ])[] = [
    ['as many as are asked for', [abc], [claim(two)], 'r=a r=b'],
    ['none that another claim has', [abc], [claim(one)], 'r=b', ['gpu.org/n/a']],
    ['none twice', [abc], [claim(two, 'c'), claim(one, 'd')], 'r=a r=b; r=c'],
    ['nothing where there are too few', [abc], [claim(two, 'c'), claim(two, 'd')], 'none'],
    ['all of them', [abc], [claim(all)], 'r=a r=b r=c'],
    ['not all of them where one is taken', [abc], [claim(all)], 'none', ['gpu.org/n/b']],
    [
      'also those in use to an administrator',
      [abc],
      [claim({ requests: [{ name: 'r', exactly: exactly({ adminAccess: true }) }] })],
      'r=a',
      ['gpu.org/n/a'],
    ],
    [
      'the first of several wishes that can be had',
      [abc],
      [
        claim({
          requests: [
            {
              name: 'r',
              firstAvailable: [
                { name: 'many', ...exactly({ count: 4 }) },
                { name: 'few', ...exactly() },
              ],
            },
          ],
        }),
      ],
      'r/few=a',
    ],
    [
      'devices that agree in an attribute',
      [slice([bus('a', '1'), bus('b', '2'), bus('c', '2')])],
      [claim({ ...two, constraints: [{ matchAttribute: 'gpu.org/bus' }] })],
      'r=b r=c',
    ],
    [
      'devices that differ in an attribute',
      [slice([bus('a', '1'), bus('b', '1'), bus('c', '2')])],
      [claim({ ...two, constraints: [{ distinctAttribute: 'gpu.org/bus', requests: ['r'] }] })],
      'r=a r=c',
    ],
    [
      'a tainted device only where that is tolerated',
      [slice([gpu('a', { taints: [{ key: 'bad', effect: 'NoSchedule' }] }), gpu('b')])],
      [claim(one)],
      'r=b',
    ],
    [
      'a tainted device where that is tolerated',
      [slice([gpu('a', { taints: [{ key: 'bad', effect: 'NoSchedule' }] })])],
      [claim({ requests: [{ name: 'r', exactly: exactly({ tolerations: [{ key: 'bad', operator: 'Exists' }] }) }] })],
      'r=a',
    ],
    ['none of other nodes', [slice([gpu('a')], { nodeName: 'm' })], [claim(one)], 'none'],
    ['those of all nodes', [slice([gpu('a')], { allNodes: true })], [claim(one)], 'r=a'],
    [
      'none of pools of which a slice is missing',
      [slice([gpu('a')], { nodeName: 'n', pool: { name: 'n', generation: 2, resourceSliceCount: 2 } })],
      [claim(one)],
      'none',
    ],
    [
      'those of the newest generation of a pool',
      [
        slice([gpu('old')], { nodeName: 'n', pool: { name: 'n', generation: 1, resourceSliceCount: 1 } }),
        slice([gpu('new')], { nodeName: 'n', pool: { name: 'n', generation: 2, resourceSliceCount: 1 } }),
      ],
      [claim(one)],
      'r=new',
    ],
    ['none that is shared in parts', [slice([gpu('a', { allowMultipleAllocations: true })])], [claim(one)], 'none'],
  ];
  for (const [what, slices, claims, result, inUse] of cases)
    it(`gives ${what}`, () => assert.equal(allocated(slices, claims, inUse), result));

  it('says where the devices can be used, and how they are configured', () => {
    const cluster = new TestCluster();
    const opaque = { driver: 'gpu.org', parameters: { a: 'b' } as never };
    cluster.deviceClasses.set('gpu', { metadata: { name: 'gpu' }, spec: { config: [{ opaque }] } });
    const rack = { matchExpressions: [{ key: 'rack', operator: 'Exists' }] };
    const wanted = claim({
      ...one,
      config: [
        { requests: ['r'], opaque },
        { requests: ['other'], opaque },
      ],
    });
    const result = (spec: Partial<ResourceSlice['spec']>) => {
      const lookup = { ...cluster.cache.view().devices, slices: () => [slice([gpu('a')], spec)] };
      return deviceAllocator([wanted], lookup)(NODE)!.get(wanted)!;
    };
    const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] };
    assert.deepEqual(result({ nodeName: 'n' }).nodeSelector, { nodeSelectorTerms: [onNode] });
    assert.deepEqual(result({ nodeSelector: { nodeSelectorTerms: [rack] } }).nodeSelector, {
      nodeSelectorTerms: [rack],
    });
    const { nodeSelector, devices } = result({ allNodes: true });
    assert.equal(nodeSelector, undefined);
    assert.deepEqual(devices.config, [
      { source: 'FromClass', opaque },
      { source: 'FromClaim', requests: ['r'], opaque },
    ]);
  });
});
