import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

describe('Options of the cluster network', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const start = async (...args: string[]): Promise<void> => {
    server = await startTestServer({ args: ['--advertise-address=192.0.2.1', ...args] });
  };
  const json = async (path: string): Promise<any> => (await server.client.get(path)).json;

  it('--service-cluster-ip-range and --service-node-port-range are where services get theirs from', async () => {
    await start('--service-cluster-ip-range=10.7.0.0/29', '--service-node-port-range=31000-31001');
    assert.equal((await json('/api/v1/namespaces/default/services/kubernetes')).spec.clusterIP, '10.7.0.1');
    const made = (
      await server.client.post('/api/v1/namespaces/default/services', {
        metadata: { name: 's' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      })
    ).json;
    assert.match(made.spec.clusterIP, /^10\.7\.0\.[2-6]$/);
    assert.ok([31000, 31001].includes(made.spec.ports[0].nodePort));
    const outside = await server.client.post('/api/v1/namespaces/default/services', {
      metadata: { name: 't' },
      spec: { clusterIP: '10.8.0.1', ports: [{ port: 80 }] },
    });
    assert.equal(outside.status, 422);
  });

  it('--service-cluster-ip-range with a range of each family gives services addresses of both', async () => {
    await start('--service-cluster-ip-range=10.7.0.0/24,fd00:7::/112');
    assert.deepEqual((await json('/api/v1/namespaces/default/services/kubernetes')).spec.clusterIPs, ['10.7.0.1']);
    const { spec } = (
      await server.client.post('/api/v1/namespaces/default/services', {
        metadata: { name: 's' },
        spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] },
      })
    ).json;
    assert.deepEqual(spec.ipFamilies, ['IPv4', 'IPv6']);
    assert.match(spec.clusterIPs.join(), /^10\.7\.0\.\d+,fd00:7::[\da-f]+$/);
  });

  it('--cluster-service-node-port makes the kubernetes service a NodePort', async () => {
    await start('--kubernetes-service-node-port=30443');
    const { spec } = await json('/api/v1/namespaces/default/services/kubernetes');
    assert.deepEqual([spec.type, spec.ports[0].nodePort], ['NodePort', 30443]);
  });

  it('--endpoint-reconciler-type: lease and master-count keep the endpoints of the kubernetes service, none leaves them alone', async () => {
    const addresses = async (): Promise<string[]> =>
      ((await server.client.get('/api/v1/namespaces/default/endpoints/kubernetes')).json.subsets ?? []).flatMap(
        (s: { addresses: { ip: string }[] }) => s.addresses.map((a) => a.ip),
      );
    for (const [type, expected] of [
      ['lease', ['192.0.2.1']],
      ['master-count', ['192.0.2.1']],
      ['none', []],
    ] as const) {
      await start(`--endpoint-reconciler-type=${type}`, '--apiserver-count=1');
      assert.deepEqual(await addresses(), expected, type);
      if (type !== 'none') await server.stop();
    }
  });

  it('--apiserver-count is how many endpoints the kubernetes service keeps with master-count', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-count-'));
    const again = async (...args: string[]): Promise<void> => {
      server = await startTestServer({ dir, args: ['--advertise-address=192.0.2.1', ...args] });
    };
    const endpoints = '/api/v1/namespaces/default/endpoints';
    try {
      await again('--endpoint-reconciler-type=none');
      const others = {
        addresses: ['192.0.2.2', '192.0.2.3'].map((ip) => ({ ip })),
        ports: [{ name: 'https', port: 6443 }],
      };
      assert.equal(
        (await server.client.post(endpoints, { metadata: { name: 'kubernetes' }, subsets: [others] })).status,
        201,
      );
      for (const count of [2, 1]) {
        await server.stop();
        await again('--endpoint-reconciler-type=master-count', `--apiserver-count=${count}`);
        const { addresses } = (await json(`${endpoints}/kubernetes`)).subsets[0];
        assert.equal(addresses.length, count);
        assert.ok(addresses.some(({ ip }: { ip: string }) => ip === '192.0.2.1'));
      }
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('--min-request-timeout is how long a watch stays open at least', async () => {
    await start('--min-request-timeout=1');
    const watch = server.client.watch('/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0');
    await watch.untilEnd();
    assert.equal(watch.status, 200);
  });

  it('--min-request-timeout=0 leaves watches open', async () => {
    await start('--min-request-timeout=0');
    const watch = server.client.watch('/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'seen' } });
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'seen'));
    watch.close();
  });

  it('--default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds are given to pods', async () => {
    await start('--default-not-ready-toleration-seconds=7', '--default-unreachable-toleration-seconds=8');
    const made = await server.client.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    assert.deepEqual(
      made.json.spec.tolerations.map((t: { key: string; tolerationSeconds: number }) => [t.key, t.tolerationSeconds]),
      [
        ['node.kubernetes.io/not-ready', 7],
        ['node.kubernetes.io/unreachable', 8],
      ],
    );
  });
});
