import assert from 'node:assert/strict';
import type { EndpointPort } from '../../generated/types/core-v1.ts';
import { repackSubsets } from './repack-subsets.ts';

const tcp = (name: string, port: number): EndpointPort => ({ name, port, protocol: 'TCP' });

describe('packing of subsets', () => {
  it('puts ports of the same addresses together, and addresses of the same ports', () => {
    const packed = repackSubsets([
      { addresses: [{ ip: '10.0.0.2' }], ports: [tcp('a', 1)] },
      { addresses: [{ ip: '10.0.0.1' }], ports: [tcp('a', 1), tcp('b', 2)] },
      { addresses: [{ ip: '10.0.0.2' }], ports: [tcp('b', 2)] },
    ]);
    assert.deepEqual(
      packed.map(({ addresses, ports }) => [addresses, ports!.map(({ name }) => name).sort()]),
      [
        [
          [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
          ['a', 'b'],
        ],
      ],
    );
  });

  it('counts an address that is in both lists as not ready', () => {
    const [subset, ...others] = repackSubsets([
      { addresses: [{ ip: '10.0.0.1' }], ports: [tcp('a', 1)] },
      { notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [tcp('a', 1)] },
    ]);
    assert.deepEqual([subset, others], [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [tcp('a', 1)] }, []]);
  });

  // Hashes of go-spew 1.1.1 over values of these Go types.
  it('orders ports as stock controllers do, whatever order they come in', () => {
    const dns = [tcp('metrics', 9153), { name: 'dns', port: 53, protocol: 'UDP' }, tcp('dns-tcp', 53)];
    const names = (ports: EndpointPort[]): unknown =>
      repackSubsets([{ addresses: [{ ip: '10.0.0.1' }], ports }])[0]!.ports!.map(({ name }) => name);
    assert.deepEqual(names(dns), ['dns-tcp', 'dns', 'metrics']);
    assert.deepEqual(names(dns.toReversed()), ['dns-tcp', 'dns', 'metrics']);
    assert.deepEqual(names([tcp('http', 80), tcp('https', 443)]), ['https', 'http']);
  });

  it('orders subsets as stock controllers do', () => {
    const address = (ip: string, uid: string): object => ({
      ip,
      nodeName: 'n',
      targetRef: { kind: 'Pod', namespace: 'ns', name: uid, uid },
    });
    const subsets = [
      { addresses: [address('10.0.0.1', 'a')], ports: [tcp('web', 8080)] },
      { addresses: [address('10.0.0.2', 'b')], ports: [tcp('web', 8081)] },
      { notReadyAddresses: [address('10.0.0.3', 'c')], ports: [{ ...tcp('web', 8082), appProtocol: 'h2c' }] },
    ] as Parameters<typeof repackSubsets>[0];
    const ports = (packed: typeof subsets): unknown => packed.map((subset) => subset.ports![0]!.port);
    assert.deepEqual(ports(repackSubsets(subsets)), [8081, 8082, 8080]);
    assert.deepEqual(ports(repackSubsets(subsets.toReversed())), [8081, 8082, 8080]);
  });
});
