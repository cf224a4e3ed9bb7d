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

  // The orders are those of a Go program that sorts by the MD5 of what go-spew 1.1.1 prints of such values.
  it('orders ports as stock controllers do, whatever order they come in', () => {
    const dns = { name: 'dns', port: 53, protocol: 'UDP' };
    const grpc = { ...tcp('grpc', 9000), appProtocol: 'h2c' };
    const all = [tcp('metrics', 9153), dns, tcp('dns-tcp', 53), tcp('http', 80), tcp('https', 443), grpc];
    const names = (ports: EndpointPort[]): unknown =>
      repackSubsets([{ addresses: [{ ip: '10.0.0.1' }], ports }])[0]!.ports!.map(({ name }) => name);
    const ordered = ['dns-tcp', 'dns', 'metrics', 'https', 'http', 'grpc'];
    assert.deepEqual(names(all), ordered);
    assert.deepEqual(names(all.toReversed()), ordered);
  });

  it('orders subsets as stock controllers do', () => {
    const address = (ip: string, uid: string, more: object = {}): object => ({
      ip,
      nodeName: 'n',
      targetRef: { kind: 'Pod', namespace: 'ns', name: uid, uid },
      ...more,
    });
    const subsets = [
      { addresses: [address('10.0.0.1', 'a')], ports: [tcp('web', 8080)] },
      { addresses: [address('10.0.0.2', 'b')], ports: [tcp('web', 8081)] },
      { notReadyAddresses: [address('10.0.0.3', 'c')], ports: [{ ...tcp('web', 8082), appProtocol: 'h2c' }] },
      { addresses: [address('10.0.0.1', 'a'), address('10.0.0.4', 'd')], ports: [tcp('web', 8083)] },
      {
        addresses: [address('10.0.0.5', 'e', { hostname: 'e' })],
        notReadyAddresses: [address('10.0.0.3', 'c')],
        ports: [tcp('web', 8084)],
      },
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: '', port: 8085, protocol: 'UDP' }] },
    ] as Parameters<typeof repackSubsets>[0];
    const ports = (packed: typeof subsets): unknown => packed.map((subset) => subset.ports![0]!.port);
    const ordered = [8081, 8083, 8085, 8084, 8082, 8080];
    assert.deepEqual(ports(repackSubsets(subsets)), ordered);
    assert.deepEqual(ports(repackSubsets(subsets.toReversed())), ordered);
  });
});
