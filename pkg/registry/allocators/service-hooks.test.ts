import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../server/server-testing.ts';

describe('service allocation', () => {
  let api: TestServer;
  const services = '/api/v1/namespaces/default/services';
  const merge = { 'content-type': 'application/merge-patch+json' };
  before(async () => {
    api = await startTestServer();
  });
  after(() => {
    assert.deepEqual(api.errors, []);
    return api.stop();
  });
  const create = (name: string, spec: object, query = '') =>
    api.send('POST', `${services}${query}`, { metadata: { name }, spec });
  const patch = (name: string, spec: object, query = '') =>
    api.send('PATCH', `${services}/${name}${query}`, { spec }, merge);
  const takenIps = async () => (await api.allocators.clusterIps.get('IPv4')!.bitmap.snapshot()).bitmap;
  const takenPorts = async () =>
    [...(await api.allocators.nodePorts.snapshot()).bitmap.offsets()].map((offset) => offset + 30_000);
  const ipOffset = (ip: string) => Number(ip.split('.')[3]) - 1;

  it('gives a service an address and takes it back', async () => {
    const { status, body } = await create('a', { ports: [{ port: 80 }] });
    assert.equal(status, 201);
    assert.match(body.spec.clusterIP, /^10\.0\.0\.\d+$/);
    assert.deepEqual(
      [body.spec.clusterIPs, body.spec.ipFamilies, body.spec.ipFamilyPolicy],
      [[body.spec.clusterIP], ['IPv4'], 'SingleStack'],
    );
    assert.equal((await takenIps()).has(ipOffset(body.spec.clusterIP)), true);
    await api.send('DELETE', `${services}/a`);
    assert.equal((await takenIps()).has(ipOffset(body.spec.clusterIP)), false);
  });

  it('honours requested addresses and ports', async () => {
    assert.equal((await create('b', { clusterIP: '10.0.0.77', ports: [{ port: 80 }] })).status, 201);
    const again = await create('c', { clusterIP: '10.0.0.77', ports: [{ port: 80 }] });
    assert.equal(again.status, 422);
    assert.equal(
      again.body.message,
      'Service "c" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.77"]: failed to allocate IP 10.0.0.77: provided IP is already allocated',
    );
    assert.equal((await create('d', { type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] })).status, 201);
    const port = await create('e', { type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] });
    assert.equal(
      port.body.message,
      'Service "e" is invalid: spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated',
    );
    const outside = await create('e', { type: 'NodePort', ports: [{ port: 80, nodePort: 99 }] });
    assert.match(
      outside.body.message,
      /Invalid value: 99: provided port is not in the valid range\. The range of valid ports is 30000-32767$/,
    );
    const count = (await takenIps()).count;
    assert.equal((await create('none', { clusterIP: 'None', ports: [{ port: 80 }] })).body.spec.clusterIP, 'None');
    assert.equal((await takenIps()).count, count);
  });

  it('takes nothing for a write that fails or is a dry run', async () => {
    const [ips, ports] = [(await takenIps()).count, (await takenPorts()).length];
    assert.equal((await create('b', { type: 'NodePort', ports: [{ port: 80 }] })).status, 409);
    assert.equal((await create('x', { type: 'NodePort', ports: [{ port: 0 }] })).status, 422);
    assert.equal(
      (
        await create('y', {
          type: 'NodePort',
          ports: [
            { port: 80, nodePort: 31_001 },
            { port: 81, name: 'q', nodePort: 31_000 },
          ],
        })
      ).status,
      422,
    );
    const dry = await create(
      'z',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
      '?dryRun=All',
    );
    assert.equal(dry.status, 201);
    assert.notEqual(dry.body.spec.ports[0].nodePort, dry.body.spec.ports[1].nodePort);
    assert.equal((await create('z', { clusterIP: '10.0.0.77', ports: [{ port: 80 }] }, '?dryRun=All')).status, 422);
    assert.deepEqual([(await takenIps()).count, (await takenPorts()).length], [ips, ports]);
  });

  it('shares the node port of a port between its protocols', async () => {
    const { body } = await create('dns', {
      type: 'NodePort',
      ports: [
        { name: 'u', port: 53, protocol: 'UDP' },
        { name: 't', port: 53, protocol: 'TCP' },
      ],
    });
    assert.equal(body.spec.ports[0].nodePort, body.spec.ports[1].nodePort);
  });

  it('follows the type of a service', async () => {
    const made = (await create('t', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] }))
      .body.spec;
    const held = [made.ports[0].nodePort, made.healthCheckNodePort];
    for (const port of held) assert.ok((await takenPorts()).includes(port));
    const asClusterIp = (await patch('t', { type: 'ClusterIP', externalTrafficPolicy: null })).body.spec;
    assert.equal(asClusterIp.clusterIP, made.clusterIP);
    assert.equal(asClusterIp.ports[0].nodePort, undefined);
    for (const port of held) assert.equal((await takenPorts()).includes(port), false);
    assert.equal(
      (await patch('t', { type: 'ExternalName', externalName: 'x.example.com' })).body.spec.clusterIP,
      undefined,
    );
    assert.equal((await takenIps()).has(ipOffset(made.clusterIP)), false);
    const back = (await patch('t', { type: 'NodePort', externalName: null })).body.spec;
    assert.equal((await takenIps()).has(ipOffset(back.clusterIP)), true);
    assert.ok((await takenPorts()).includes(back.ports[0].nodePort));
  });

  it('keeps and moves node ports over updates', async () => {
    const made = (
      await create('u', {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      })
    ).body;
    const [a, b] = made.spec.ports.map((p: { nodePort: number }) => p.nodePort);
    const applied = await api.send('PUT', `${services}/u`, {
      metadata: { name: 'u' },
      spec: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80 },
          { name: 'c', port: 82 },
        ],
      },
    });
    assert.deepEqual(
      [applied.status, applied.body.spec.ports[0].nodePort, applied.body.spec.clusterIP],
      [200, a, made.spec.clusterIP],
    );
    assert.equal((await takenPorts()).includes(b), false);
    assert.ok((await takenPorts()).includes(applied.body.spec.ports[1].nodePort));
    const before = await takenPorts();
    assert.equal((await patch('u', { ports: [{ name: 'a', port: 80, nodePort: 31_000 }] })).status, 422);
    assert.equal((await patch('u', { ports: [{ name: 'a', port: 80, nodePort: 31_777 }] }, '?dryRun=All')).status, 200);
    assert.deepEqual(await takenPorts(), before);
    await api.send(
      'PATCH',
      `${services}/u/status`,
      { spec: { ports: [{ name: 'a', port: 80, nodePort: 31_888 }] } },
      merge,
    );
    assert.deepEqual(await takenPorts(), before);
  });

  it('takes the endpoints of a deleted service along', async () => {
    await create('gone', { ports: [{ port: 80 }] });
    await api.send('POST', '/api/v1/namespaces/default/endpoints', { metadata: { name: 'gone' } });
    await api.send('DELETE', `${services}/gone`);
    assert.equal((await api.send('GET', '/api/v1/namespaces/default/endpoints/gone')).status, 404);
  });

  it('never gives one address to two services that come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(`many-${i}`, { type: 'NodePort', ports: [{ port: 80 }] })),
    );
    assert.ok(answers.every((a) => a.status === 201));
    assert.equal(new Set(answers.map((a) => a.body.spec.clusterIP)).size, 40);
    assert.equal(new Set(answers.map((a) => a.body.spec.ports[0].nodePort)).size, 40);
  });
});
