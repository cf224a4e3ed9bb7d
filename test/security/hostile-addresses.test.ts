/**
 * Addresses of the server's and the nodes' own machines and links, which no client may have traffic sent to (class of
 * CVE-2021-25737 and CVE-2020-8554).
 */
import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const own: readonly string[] = [
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '0.0.0.0',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
];

describe('addresses of this machine and its link', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const makers: readonly (readonly [
    what: string,
    create: (address: string) => readonly [path: string, body: object],
  ])[] = [
    [
      'slices of endpoints',
      (address) => [
        '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
        {
          metadata: { name: 'e' },
          addressType: address.includes(':') ? 'IPv6' : 'IPv4',
          endpoints: [{ addresses: [address] }],
          ports: [],
        },
      ],
    ],
    [
      'slices of endpoints by an older version',
      (address) => [
        '/apis/discovery.k8s.io/v1beta1/namespaces/default/endpointslices',
        {
          metadata: { name: 'e' },
          addressType: address.includes(':') ? 'IPv6' : 'IPv4',
          endpoints: [{ addresses: [address] }],
          ports: [],
        },
      ],
    ],
    [
      'endpoints',
      (address) => [
        '/api/v1/namespaces/default/endpoints',
        { metadata: { name: 'e' }, subsets: [{ addresses: [{ ip: address }], ports: [{ port: 1 }] }] },
      ],
    ],
    [
      'endpoints that are not ready',
      (address) => [
        '/api/v1/namespaces/default/endpoints',
        { metadata: { name: 'e' }, subsets: [{ notReadyAddresses: [{ ip: address }], ports: [{ port: 1 }] }] },
      ],
    ],
    [
      'external addresses of services',
      (address) => [
        '/api/v1/namespaces/default/services',
        { metadata: { name: 'e' }, spec: { ports: [{ port: 1 }], externalIPs: [address] } },
      ],
    ],
  ];
  for (const [what, create] of makers) {
    it(`are none for ${what}`, async () => {
      for (const address of own) {
        const { status, body } = await server.client.post(`${create(address)[0]}?dryRun=All`, create(address)[1]);
        assert.equal(status, 422, `${address}: ${body}`);
      }
      const { status, body } = await server.client.post(`${create('10.1.2.3')[0]}?dryRun=All`, create('10.1.2.3')[1]);
      assert.equal(status, 201, body.toString());
    });
  }
});
