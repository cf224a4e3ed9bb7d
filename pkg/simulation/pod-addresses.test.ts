import assert from 'node:assert/strict';
import { PodAddresses } from './pod-addresses.ts';

describe('PodAddresses', () => {
  it('gives each pod an address of the range of its node, the same until it is released', () => {
    const addresses = new PodAddresses();
    const of = (uid: string, known?: string): string => addresses.of(uid, '10.1.2.0/29', known);
    assert.deepEqual(
      ['a', 'b', 'a'].map((uid) => of(uid)),
      ['10.1.2.1', '10.1.2.2', '10.1.2.1'],
    );
    assert.equal(addresses.of('c', '10.1.3.0/24', undefined), '10.1.3.1');
    assert.equal(addresses.of('d', undefined, undefined), '10.244.0.1');
    assert.deepEqual(
      ['e', 'f', 'g', 'h'].map((uid) => of(uid)),
      ['10.1.2.3', '10.1.2.4', '10.1.2.5', '10.1.2.6'],
    );
    addresses.release('b');
    assert.equal(of('i'), '10.1.2.2');
  });

  it('gives no pod an address that another one had before', () => {
    const addresses = new PodAddresses();
    assert.equal(addresses.of('old', '10.1.2.0/24', '10.1.2.1'), '10.1.2.1');
    assert.equal(addresses.of('new', '10.1.2.0/24', undefined), '10.1.2.2');
  });
});
