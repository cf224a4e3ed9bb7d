import assert from 'node:assert/strict';
import { ipAddresses } from '../../api/networking/tokens.ts';
import { ipAddress } from '../../api/networking/ip-address/ip-address.ts';
import { serviceCidr } from '../../api/networking/service-cidr/service-cidr.ts';
import { createOwn } from '../own-writes.ts';
import { openRegistry, type Replica, type TestRegistry } from '../registry-testing.ts';
import { createIpAddress } from './ip-address-objects.ts';
import { ServiceCidrRanges } from './service-cidr-ranges.ts';

describe('ServiceCidrRanges', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let ranges: ServiceCidrRanges;
  before(async () => {
    registry = openRegistry([ipAddress, serviceCidr]);
    stores = await registry.replica();
    ranges = new ServiceCidrRanges(stores);
  });
  after(() => registry.stop());
  const addresses = () => stores(ipAddresses);
  const shown = async () => {
    await addresses().cacher.fresh();
    return ranges.all().map(({ range, isReady, taken }) => [range.text, isReady, taken]);
  };
  const cidr = (name: string, cidrs: string[], metadata = {}) =>
    createOwn(stores('servicecidrs.networking.k8s.io'), { metadata: { name, ...metadata }, spec: { cidrs } });

  it('lists the default one first, and counts the taken addresses of each', async () => {
    assert.deepEqual(await shown(), []);
    await cidr('a', ['10.1.0.0/16', 'fd00::/64']);
    await createIpAddress(addresses(), '10.1.2.3', { namespace: 'n', name: 's' });
    assert.deepEqual(await shown(), [
      ['10.1.0.0/16', true, 1],
      ['fd00::/64', true, 0],
    ]);
    await createIpAddress(addresses(), 'fd00::9', { namespace: 'n', name: 's' });
    await cidr('kubernetes', ['10.1.2.0/24']);
    await cidr('twin', ['10.1.2.0/24']);
    assert.deepEqual(await shown(), [
      ['10.1.2.0/24', true, 1],
      ['10.1.0.0/16', true, 1],
      ['fd00::/64', true, 1],
    ]);
    const { key, revision } = addresses().cache.newest(addresses().keyOf('', '10.1.2.3'))!;
    await addresses().remove(key, revision);
    assert.deepEqual(await shown(), [
      ['10.1.2.0/24', true, 0],
      ['10.1.0.0/16', true, 0],
      ['fd00::/64', true, 1],
    ]);
    assert.deepEqual(
      ranges.ready('IPv6').map(({ range }) => range.text),
      ['fd00::/64'],
    );
  });

  it('follows another cache from its existing objects on', async () => {
    const later = new ServiceCidrRanges(await registry.replica());
    assert.deepEqual(
      later.all().map(({ range, taken }) => [range.text, taken]),
      [
        ['10.1.2.0/24', 0],
        ['10.1.0.0/16', 0],
        ['fd00::/64', 1],
      ],
    );
  });
});
