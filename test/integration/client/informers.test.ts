/** Informers over HTTPS against whole servers on both stores: the contract, a restart in the middle, and a 410. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HandlerView } from '../../../pkg/client/informer/handler-view-testing.ts';
import {
  configMap,
  configMapToken,
  hurriedClock,
  informerContract,
  until,
  type ConfigMapObject,
  type InformerFixture,
} from '../../../pkg/client/informer/informer-contract.ts';
import { InformerFactory } from '../../../pkg/client/informer/informer-factory.ts';
import { reflectorSources } from '../../../pkg/client/informer/reflector.ts';
import { RestClient, type RestClientOptions } from '../../../pkg/client/rest/rest-client.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { TcpProxy } from '../../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

const NAMESPACES = ['a', 'b', 'c'];

interface Variant extends Pick<RestClientOptions, 'protocol' | 'encoding'> {
  readonly store: 'embedded' | 'etcd';
  readonly streamingLists: boolean;
}

const variants: readonly Variant[] = [
  { store: 'embedded', protocol: 'http/1.1', encoding: 'json', streamingLists: false },
  { store: 'etcd', protocol: 'h2', encoding: 'protobuf', streamingLists: true },
];

for (const variant of variants) {
  const { store, protocol, encoding, streamingLists } = variant;
  const lists = streamingLists ? 'streaming lists' : 'lists';
  describe(`informers over ${protocol}, ${encoding} and ${lists} (${store})`, function () {
    this.timeout(120_000);
    let etcd: EtcdServer | undefined;
    let dir: string;
    let server: TestServer;
    let proxy: TcpProxy;

    before(async () => {
      etcd = store === 'etcd' ? await EtcdServer.start() : undefined;
      dir = mkdtempSync(path.join(tmpdir(), 'binnacle-informers-'));
      await startServer();
      proxy = await TcpProxy.start(portOf(server));
      for (const name of NAMESPACES) {
        assert.equal((await server.client.post('/api/v1/namespaces', { metadata: { name } })).status, 201);
      }
    });
    after(async () => {
      await proxy.stop();
      await server.stop();
      await etcd?.stop();
      rmSync(dir, { recursive: true, force: true });
      assert.deepEqual(server.errors, []);
    });

    /** Forgets what happened more than 200 ms ago, and looks for it in the store alone. */
    async function startServer(): Promise<void> {
      const args = ['--store-compaction-interval=200ms', '--watch-cache=false'];
      server = await startTestServer({ dir, args, ...(etcd === undefined ? {} : { etcd: etcd.url }) });
    }

    const pathOf = (namespace: string, name = ''): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;

    async function put(object: ConfigMapObject): Promise<void> {
      const { namespace = '', name = '' } = object.metadata;
      const { status } = await server.client.put(pathOf(namespace, name), object);
      if (status !== 404) return assert.equal(status, 200);
      assert.equal((await server.client.post(pathOf(namespace), object)).status, 201);
    }

    /** While it runs no connection through the proxy stays, and none begins. */
    async function disconnected(changes: () => Promise<void>): Promise<void> {
      proxy.block();
      await changes();
      proxy.unblock();
    }

    async function forget(): Promise<void> {
      const from = (await server.client.get(pathOf('a'))).json.metadata.resourceVersion;
      for (let attempt = 0; ; attempt++) {
        await put(configMap('c', 'history', String(attempt)));
        await new Promise((resolve) => setTimeout(resolve, 100));
        const watch = server.client.watch(`${pathOf('a')}?watch=1&resourceVersion=${from}&timeoutSeconds=1`);
        const events = await watch.until((seen) => seen.length > 0, 200).catch(() => []);
        if (events.some(({ type, object }) => type === 'ERROR' && object.code === 410)) break;
        assert.ok(attempt < 50, 'the history is still there');
      }
      await server.client.delete(pathOf('c', 'history'));
    }

    interface HttpsFixture extends InformerFixture {
      /** Lists, and watches that begin with the state. */
      lists(): number;
    }

    async function start(): Promise<HttpsFixture> {
      for (const namespace of NAMESPACES) await server.client.delete(pathOf(namespace));
      const credentials = { token: server.running.token };
      const url = new URL(`https://127.0.0.1:${proxy.port}`);
      const client = new RestClient({ server: url, insecureSkipTlsVerify: true, credentials }, { protocol, encoding });
      let listed = 0;
      const list = client.list.bind(client);
      const watch = client.watch.bind(client);
      client.list = (resource, options) => {
        listed++;
        return list(resource, options);
      };
      client.watch = (resource, options) => {
        if (options?.sendInitialEvents === true) listed++;
        return watch(resource, options);
      };
      const reported: unknown[] = [];
      const report = (error: unknown): void => void reported.push(error);
      return {
        sources: reflectorSources(client, { report, clock: hurriedClock, pageSize: 2, streamingLists }),
        reported,
        lists: () => listed,
        put,
        async remove({ namespace, name }) {
          await server.client.delete(pathOf(namespace, name));
        },
        interrupt: disconnected,
        expire: (changes) =>
          disconnected(async () => {
            await changes();
            await forget();
          }),
        assertIdle: () => undefined,
        async stop() {
          client.close();
        },
      };
    }

    describe('contract', () => {
      informerContract(start, { runs: 3 });
    });

    it('lists again after a 410, and shows what happened meanwhile', async () => {
      const fixture = await start();
      await fixture.put(configMap('a', 'kept', '1'));
      await fixture.put(configMap('a', 'gone', '1'));
      const factory = new InformerFactory(fixture.sources, { report: assert.ifError, freezeObjects: true });
      const view = new HandlerView<ConfigMapObject>();
      factory.informer(configMapToken, { namespace: 'a' }).addHandler(view);
      factory.start();
      assert.equal(await factory.waitForSync(), true);
      const before = fixture.lists();
      await fixture.expire(async () => {
        await fixture.put(configMap('a', 'kept', '2'));
        await fixture.remove({ namespace: 'a', name: 'gone' });
      });
      await until(() => view.objects.size === 1 && view.objects.get('a/kept')?.data?.value === '2', 'the difference');
      assert.ok(fixture.lists() > before);
      view.assertConsistent();
      await factory.stop();
      await fixture.stop();
    });

    it('goes on after the server was started again', async () => {
      const fixture = await start();
      await fixture.put(configMap('a', 'kept', '1'));
      await fixture.put(configMap('a', 'gone', '1'));
      const factory = new InformerFactory(fixture.sources, { report: assert.ifError, freezeObjects: true });
      const view = new HandlerView<ConfigMapObject>();
      const informer = factory.informer(configMapToken, { namespace: 'a' });
      informer.addHandler(view);
      factory.start();
      assert.equal(await factory.waitForSync(), true);
      await server.stop();
      await startServer();
      await fixture.put(configMap('a', 'kept', '2'));
      await fixture.remove({ namespace: 'a', name: 'gone' });
      proxy.target = portOf(server);
      await until(() => view.objects.size === 1 && view.objects.get('a/kept')?.data?.value === '2', 'the difference');
      await fixture.put(configMap('a', 'later', '1'));
      await until(() => view.objects.has('a/later'), 'what happens later');
      view.assertConsistent();
      assert.ok(fixture.reported.length > 0, 'the lost server is reported');
      assert.equal(informer.lister.size, 2);
      await factory.stop();
      await fixture.stop();
    });
  });
}

function portOf(server: TestServer): number {
  return Number(new URL(server.running.url).port);
}
