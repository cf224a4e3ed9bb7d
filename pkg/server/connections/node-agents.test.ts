import assert from 'node:assert/strict';
import { node } from '../../api/core/node/node.ts';
import { createObject } from '../../registry/create-object.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from '../../registry/registry-testing.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { NodeAgentSettings } from './node-agent-settings.ts';
import { NodeAgents, unverified } from './node-agents.ts';

describe('NodeAgents', () => {
  let registry: TestRegistry;
  let stores: Replica;
  const tls = { ca: 'the authority', certificate: 'own certificate', key: 'own key' };
  const settings: NodeAgentSettings = {
    https: true,
    addressTypes: ['Hostname', 'InternalDNS', 'InternalIP'],
    port: 10250,
    dialTimeoutMs: 5000,
    tls: () => tls,
  };
  const find = (name: string, more: Partial<NodeAgentSettings> = {}) =>
    new NodeAgents(stores, { ...settings, ...more }).find(name);
  const refused =
    (code: number, message: string) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof StatusError, String(error));
      assert.deepEqual([error.code, error.message], [code, message]);
      return true;
    };

  before(async () => {
    registry = openRegistry([node]);
    stores = await registry.replica();
    const add = (name: string, status: object) =>
      createObject(
        stores('nodes'),
        hubObject(node, { name }, { spec: {}, status }),
        write('v1', '', { namespace: '' }),
      );
    await add('both', {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'a.test' },
        { type: 'Hostname', address: 'b.test' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 12345 } },
    });
    await add('outside', {
      addresses: [
        { type: 'ExternalIP', address: '192.0.2.1' },
        { type: 'ExternalDNS', address: 'c.test' },
      ],
    });
    await add('new', {});
  });
  after(() => registry.stop());

  it('are at the first preferred kind of address, at the port that the node reports', async () => {
    assert.deepEqual(await find('both'), {
      scheme: 'https',
      host: 'a.test',
      port: 12345,
      isTrusted: true,
      tls,
      dialTimeoutMs: 5000,
    });
    assert.equal((await find('both', { addressTypes: ['ExternalIP', 'InternalIP', 'Hostname'] })).host, '10.0.0.1');
    assert.equal((await find('outside', { addressTypes: ['ExternalIP'] })).host, '192.0.2.1');
  });

  it('have the port, scheme and time of the options otherwise', async () => {
    const { scheme, port, dialTimeoutMs } = await find('outside', {
      addressTypes: ['ExternalDNS'],
      https: false,
      port: 10255,
      dialTimeoutMs: 1,
    });
    assert.deepEqual([scheme, port, dialTimeoutMs], ['http', 10255, 1]);
  });

  it('are not found without an address, or a node', async () => {
    await assert.rejects(
      find('outside'),
      refused(500, 'no preferred addresses found; known addresses: [{ExternalIP 192.0.2.1} {ExternalDNS c.test}]'),
    );
    await assert.rejects(find('new'), refused(500, 'no preferred addresses found; known addresses: []'));
    await assert.rejects(find('none'), refused(404, 'nodes "none" not found'));
  });

  it('are not verified where the client says so, but still get the certificate of the server', async () => {
    const agent = await find('both');
    assert.deepEqual(unverified(agent), { ...agent, tls: { certificate: 'own certificate', key: 'own key' } });
  });
});
