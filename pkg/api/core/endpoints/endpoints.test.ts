import assert from 'node:assert/strict';
import { deprecationWarning } from '../../deprecation.ts';
import { cells, create, update } from '../../kind-testing.ts';
import { endpoints } from './endpoints.ts';

function made(...subsets: object[]): ReturnType<typeof create> {
  return create(endpoints, 'v1', { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' }, subsets });
}

function shown(...subsets: object[]): unknown {
  return cells(endpoints, made(...subsets).object)[1];
}

describe('endpoints', () => {
  it('speaks TCP by default', () => {
    const created = made({ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] });
    assert.deepEqual(created.texts, []);
    assert.deepEqual(created.as('v1').subsets, [
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
    assert.deepEqual(made().texts, []);
  });

  it('prints three addresses at most', () => {
    const addresses = ['1', '2', '3', '4'].map((n) => ({ ip: `192.0.2.${n}` }));
    assert.equal(shown(), '<none>');
    assert.equal(shown({ notReadyAddresses: addresses }), '');
    assert.equal(shown({ addresses: addresses.slice(0, 2) }), '192.0.2.1,192.0.2.2');
    assert.equal(shown({ addresses: [{ ip: '2001:db8::1' }], ports: [{ port: 80 }] }), '[2001:db8::1]:80');
    assert.equal(
      shown({
        addresses,
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
      '192.0.2.1:1,192.0.2.2:1,192.0.2.3:1 + 5 more...',
    );
  });

  it('checks addresses', () => {
    const ip = (text: string): string[] =>
      made({ addresses: [{ ip: text }] }).texts.map((t) =>
        t.replace('subsets[0].addresses[0].ip: Invalid value: ', ''),
      );
    assert.deepEqual(ip('x'), [
      '"x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      '"x": must be a valid IP address',
    ]);
    assert.deepEqual(ip('0.0.0.0'), ['"0.0.0.0": may not be unspecified (0.0.0.0)']);
    assert.deepEqual(ip('::1'), ['"::1": may not be in the loopback range (127.0.0.0/8, ::1/128)']);
    assert.deepEqual(ip('127.1.2.3'), ['"127.1.2.3": may not be in the loopback range (127.0.0.0/8, ::1/128)']);
    assert.deepEqual(ip('fe80::1'), ['"fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)']);
    assert.deepEqual(ip('169.254.0.1'), [
      '"169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ]);
    assert.deepEqual(ip('224.0.0.9'), [
      '"224.0.0.9": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ]);
    assert.deepEqual(ip('224.0.1.9'), []);
    assert.equal(made({ addresses: [{ ip: '192.0.2.1', hostname: 'A', nodeName: 'B_' }] }).texts.length, 2);
  });

  it('checks subsets and ports', () => {
    const addresses = [{ ip: '192.0.2.1' }];
    assert.deepEqual(
      made(
        {},
        {
          addresses,
          ports: [
            { port: 0, protocol: 'X' },
            { name: 'B', port: 1, appProtocol: 'a b' },
          ],
        },
      ).texts.map((t) => t.replace(/: a lower.*|: name part.*/, '')),
      [
        'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
        'subsets[1].ports[0].name: Required value',
        'subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'subsets[1].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        'subsets[1].ports[1].name: Invalid value: "B"',
        'subsets[1].ports[1].appProtocol: Invalid value: "a b"',
      ],
    );
  });

  it('checks updates alike', () => {
    const { object } = made();
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(endpoints, 'v1', object, (o) => void (o.subsets = [{}])).texts, [
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
    ]);
  });

  it('marks endpoints that are being deleted', () =>
    assert.equal(
      deprecationWarning({ groupVersion: 'v1', kind: 'Endpoints' }, endpoints.versions[0]!.deprecation!),
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    ));
});
