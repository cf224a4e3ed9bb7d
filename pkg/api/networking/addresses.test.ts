import assert from 'node:assert/strict';
import { cells, create, update } from '../kind-testing.ts';
import { ipAddress } from './ip-address/ip-address.ts';
import { serviceCidr } from './service-cidr/service-cidr.ts';

const V1 = 'networking.k8s.io/v1';

describe('IP address', () => {
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } };

  it('is named by its canonical address', () => {
    assert.deepEqual(cells(ipAddress, create(ipAddress, V1, { metadata: { name: '10.0.0.1' }, spec }).object), ['10.0.0.1', 'services/default/kubernetes']);
    assert.deepEqual(create(ipAddress, V1, { metadata: { name: 'fd00:0::1' }, spec }).texts,
      ['metadata.name: Invalid value: "fd00:0::1": not a valid ip in canonical format']);
    assert.equal(create(ipAddress, V1, { metadata: { name: 'x' }, spec }).texts.length, 1);
  });

  it('needs a parent and keeps it', () => {
    const metadata = { name: '10.0.0.1' };
    assert.deepEqual(create(ipAddress, V1, { metadata }).texts, ['spec.parentRef: Required value']);
    assert.deepEqual(create(ipAddress, V1, { metadata, spec: { parentRef: {} } }).texts,
      ['spec.parentRef.resource: Required value', 'spec.parentRef.name: Required value']);
    const { object } = create(ipAddress, 'networking.k8s.io/v1beta1', { metadata, spec });
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(ipAddress, V1, object, (a) => (a.spec.parentRef.name = 'b')).texts, [
      'spec.parentRef: Invalid value: networking.ParentReference{Group:"", Resource:"services", Namespace:"default", Name:"b"}: field is immutable',
    ]);
  });
});

describe('service CIDR', () => {
  const problems = (cidrs: string[]): string[] => create(serviceCidr, V1, { metadata: { name: 'c' }, spec: { cidrs } }).texts;

  it('takes one range per family', () => {
    const { object } = create(serviceCidr, V1, { metadata: { name: 'c' }, spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] } });
    assert.deepEqual(cells(serviceCidr, object), ['c', '10.0.0.0/24,fd00::/64', '0s']);
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(serviceCidr, V1, object, (c) => (c.spec.cidrs = ['10.0.0.0/24'])).texts,
      ['spec.cidrs: Invalid value: []string{"10.0.0.0/24"}: field is immutable']);
  });

  it('refuses others', () => {
    assert.deepEqual(problems([]), ['spec.cidrs: Required value: at least one CIDR required']);
    assert.match(problems(['a', 'b', 'c'])[0]!, /may only hold up to 2 values$/);
    assert.match(problems(['10.0.0.0/24', '10.1.0.0/24'])[0]!, /may specify no more than one IP for each IP family/);
    assert.deepEqual(problems(['10.0.0.1/24']), ['spec.cidrs[0]: Invalid value: "10.0.0.1/24": wrong CIDR format, IP doesn\'t match network IP address']);
    assert.deepEqual(problems(['FD00::/64']), ['spec.cidrs[0]: Invalid value: "FD00::/64": CIDR not in RFC 5952 canonical format']);
    assert.equal(problems(['x']).length, 1);
  });
});
