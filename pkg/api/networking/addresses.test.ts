import assert from 'node:assert/strict';
import { cells, create, update } from '../kind-testing.ts';
import { ipAddress } from './ip-address/ip-address.ts';
import { serviceCidr } from './service-cidr/service-cidr.ts';

const V1 = 'networking.k8s.io/v1';

describe('IP address', () => {
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } };

  it('is named by its canonical address', () => {
    assert.deepEqual(cells(ipAddress, create(ipAddress, V1, { metadata: { name: '10.0.0.1' }, spec }).object), [
      '10.0.0.1',
      'services/default/kubernetes',
    ]);
    assert.deepEqual(create(ipAddress, V1, { metadata: { name: 'fd00:0::1' }, spec }).texts, [
      'metadata.name: Invalid value: "fd00:0::1": must be in canonical form ("fd00::1")',
    ]);
    const problem = (name: string): string =>
      create(ipAddress, V1, { metadata: { name }, spec }).texts.join().split(': ').at(-1)!;
    assert.equal(problem('x'), 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    assert.equal(problem('10.0.0.01'), 'must not have leading 0s');
    assert.equal(problem('::ffff:10.0.0.1'), 'must not be an IPv4-mapped IPv6 address');
    assert.equal(problem('fd00::01'), 'must be in canonical form ("fd00::1")');
  });

  it('needs a parent and keeps it', () => {
    const metadata = { name: '10.0.0.1' };
    assert.deepEqual(create(ipAddress, V1, { metadata }).texts, ['spec.parentRef: Required value']);
    assert.deepEqual(create(ipAddress, V1, { metadata, spec: { parentRef: {} } }).texts, [
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Required value',
    ]);
    const { object } = create(ipAddress, 'networking.k8s.io/v1beta1', { metadata, spec });
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(ipAddress, V1, object, (a) => (a.spec.parentRef.name = 'b')).texts, [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"b"}: field is immutable',
    ]);
  });
});

describe('service CIDR', () => {
  const problems = (cidrs: string[]): string[] =>
    create(serviceCidr, V1, { metadata: { name: 'c' }, spec: { cidrs } }).texts;

  it('takes one range per family', () => {
    const { object } = create(serviceCidr, V1, {
      metadata: { name: 'c' },
      spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] },
    });
    assert.deepEqual(cells(serviceCidr, object), ['c', '10.0.0.0/24,fd00::/64', '0s']);
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(serviceCidr, V1, object, (c) => (c.spec.cidrs = ['10.0.0.0/24'])).texts, [
      'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable',
    ]);
    assert.deepEqual(update(serviceCidr, V1, object, (c) => (c.spec.cidrs = ['10.0.0.0/24', 'fd01::/64'])).texts, [
      'spec.cidrs[1]: Invalid value: "fd01::/64": field is immutable',
    ]);
  });

  it('may get a second family later', () => {
    const { object } = create(serviceCidr, V1, { metadata: { name: 'c' }, spec: { cidrs: ['10.0.0.0/24'] } });
    object.metadata.resourceVersion = '1';
    const change = (cidrs: string[]): string[] => update(serviceCidr, V1, object, (c) => (c.spec.cidrs = cidrs)).texts;
    assert.deepEqual(change(['10.0.0.0/24', 'fd00::/64']), []);
    assert.deepEqual(change(['fd00::/64', '10.0.0.0/24']), [
      'spec.cidrs[0]: Invalid value: "fd00::/64": field is immutable',
    ]);
    assert.match(change(['10.0.0.0/24', '10.1.0.0/24'])[0]!, /may specify no more than one IP for each IP family/);
  });

  it('refuses others', () => {
    assert.deepEqual(problems([]), ['spec.cidrs: Required value: at least one CIDR required']);
    assert.match(problems(['a', 'b', 'c'])[0]!, /may only hold up to 2 values$/);
    assert.match(problems(['10.0.0.0/24', '10.1.0.0/24'])[0]!, /may specify no more than one IP for each IP family/);
    assert.deepEqual(problems(['10.0.0.1/24']), [
      'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
    ]);
    assert.deepEqual(problems(['FD00::/64']), [
      'spec.cidrs[0]: Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")',
    ]);
    assert.deepEqual(problems(['x']), [
      'spec.cidrs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ]);
    assert.match(problems(['10.0.0.0/08'])[0]!, /must not have leading 0s in IP or prefix length$/);
    assert.match(problems(['::ffff:10.0.0.0/24'])[0]!, /must not have an IPv4-mapped IPv6 address$/);
  });
});
