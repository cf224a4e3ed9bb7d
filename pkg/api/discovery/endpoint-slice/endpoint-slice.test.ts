import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { endpointSlice } from './endpoint-slice.ts';

const V1 = 'discovery.k8s.io/v1';
const BETA = 'discovery.k8s.io/v1beta1';
const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const metadata = { name: 's' };

describe('endpoint slice', () => {
  it('is filled in, counted and printed', () => {
    const body = { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] };
    const object = stored(endpointSlice, V1, body);
    assert.deepEqual(object.endpoints, [{ addresses: ['192.0.2.1'], conditions: {} }]);
    assert.deepEqual(object.ports, [{ name: '', protocol: 'TCP', port: 80 }]);
    assert.deepEqual(cells(endpointSlice, object), ['s', 'IPv4', '80', '192.0.2.1', '0s']);
    assert.equal(
      update(endpointSlice, V1, object, (s) => (s.metadata.annotations = { a: 'b' })).object.metadata.generation,
      1,
    );
    assert.equal(
      update(endpointSlice, V1, object, (s) => (s.metadata.labels = { a: 'b' })).object.metadata.generation,
      2,
    );
    assert.equal(
      update(endpointSlice, V1, object, (s) => s.endpoints.push({ addresses: ['192.0.2.2'] })).object.metadata
        .generation,
      2,
    );
  });

  it('prints the first few, and the names of ports without number', () => {
    const object = {
      metadata,
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1', '2'] }, { addresses: ['3', '4', '5'] }],
      ports: [{ name: 'a' }, {}],
    };
    assert.deepEqual(cells(endpointSlice, object).slice(2, 4), ['a,*', '1,2,3 + 2 more...']);
    assert.deepEqual(cells(endpointSlice, { ...object, ports: null, endpoints: null } as never).slice(2, 4), [
      '<unset>',
      '<unset>',
    ]);
  });

  it('turns topology labels of the beta version into fields, and back', () => {
    const endpoint = { addresses: ['192.0.2.1'], conditions: {}, nodeName: 'n' };
    const body = {
      metadata,
      addressType: 'IPv4',
      ports: null,
      endpoints: [
        { ...endpoint, topology: { [ZONE]: 'z', [HOST]: 'n', a: 'b' } },
        { ...endpoint, topology: { [HOST]: 'other' } },
        { addresses: ['192.0.2.2'], conditions: {} },
      ],
    };
    const hub = decode(endpointSlice, BETA, body);
    assert.deepEqual(hub.endpoints, [
      { ...endpoint, zone: 'z', deprecatedTopology: { a: 'b' } },
      { ...endpoint, deprecatedTopology: { [HOST]: 'other' } },
      body.endpoints[2],
    ]);
    assert.deepEqual(serve(endpointSlice, BETA, hub).endpoints, body.endpoints);
    const plain = decode(endpointSlice, V1, { ...body, endpoints: [{ ...endpoint, zone: 'z' }] });
    assert.deepEqual(decode(endpointSlice, BETA, serve(endpointSlice, BETA, plain)).endpoints, plain.endpoints);
  });

  it('accepts no topology labels through v1, but keeps stored ones', () => {
    const body = {
      metadata,
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], deprecatedTopology: { a: 'b' } }],
    };
    assert.equal(create(endpointSlice, V1, body).object.endpoints[0].deprecatedTopology, undefined);
    const object = stored(endpointSlice, BETA, {
      metadata,
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], topology: { [HOST]: 'n' } }],
    });
    assert.deepEqual(object.endpoints[0].deprecatedTopology, { [HOST]: 'n' });
    assert.deepEqual(
      update(endpointSlice, V1, object, (s) => (s.metadata.labels = { a: 'b' })).object.endpoints,
      object.endpoints,
    );
    assert.deepEqual(
      update(endpointSlice, V1, object, (s) => s.endpoints.push({ addresses: ['192.0.2.2'] })).object.endpoints[0],
      { addresses: ['192.0.2.1'], conditions: {}, nodeName: 'n' },
    );
  });

  const problems = (change: object): string[] =>
    create(endpointSlice, V1, { metadata, addressType: 'IPv4', ...change }).texts;

  it('refuses contradictions', () => {
    assert.deepEqual(create(endpointSlice, V1, { metadata }).texts, ['addressType: Required value']);
    assert.deepEqual(problems({ addressType: 'IP' }), [
      'addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"',
    ]);
    assert.deepEqual(problems({ endpoints: [{}] }), [
      'endpoints[0].addresses: Required value: must contain at least 1 address',
    ]);
    assert.deepEqual(problems({ endpoints: [{ addresses: ['fd00::1', '127.0.0.1'] }] }), [
      'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
      'endpoints[0].addresses[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]);
    assert.deepEqual(problems({ ports: [{}, { protocol: 'ICMP', name: 'a' }, { name: 'a' }] }), [
      'ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
      'ports[2].name: Duplicate value: "a"',
    ]);
    assert.deepEqual(
      problems({ endpoints: [{ addresses: ['192.0.2.1'], hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }] }),
      ['endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
    );
    assert.deepEqual(problems({ endpoints: Array.from({ length: 1001 }, () => ({})) }), [
      'endpoints: Too many: 1001: must have at most 1000 items',
    ]);
    assert.deepEqual(
      update(
        endpointSlice,
        V1,
        stored(endpointSlice, V1, { metadata, addressType: 'IPv4' }),
        (s) => (s.addressType = 'FQDN'),
      ).texts,
      ['addressType: Invalid value: "FQDN": field is immutable'],
    );
  });
});
