/** Informers that follow a resource which is removed and comes back, in the server's process and over HTTPS. */
import assert from 'node:assert/strict';
import { StatusError } from '../../../pkg/apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import { resourceToken } from '../../../pkg/api/resource.ts';
import { hurriedClock, until } from '../../../pkg/client/informer/informer-contract.ts';
import { InformerFactory } from '../../../pkg/client/informer/informer-factory.ts';
import type { ObjectSources } from '../../../pkg/client/informer/object-source.ts';
import { reflectorSources } from '../../../pkg/client/informer/reflector.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { CRON_TABS, cronTab, cronTabs, IMAGE, SCHEDULE } from '../../fixtures/cron-tabs.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

const token = resourceToken<ApiObject>('stable.example.com/v1', 'crontabs', 'CronTab', true);
const first = cronTabs([SCHEDULE]);
const second = cronTabs([SCHEDULE, IMAGE]);

interface Variant {
  readonly where: string;
  readonly sources: (server: TestServer, report: (error: unknown) => void) => ObjectSources;
  /** Over HTTPS an informer keeps what it knew until it can list again, as those of stock clients do. */
  readonly sizeWhileRemoved: number;
}

const variants: readonly Variant[] = [
  {
    where: 'in the process of the server',
    sources: ({ running }, report) =>
      running.server.localSources({ name: 'admin', groups: ['system:masters'] }, report),
    sizeWhileRemoved: 0,
  },
  {
    where: 'over HTTPS',
    sources: ({ running: { url, token: bearer } }, report) => {
      const client = new RestClient({
        server: new URL(url),
        insecureSkipTlsVerify: true,
        credentials: { token: bearer },
      });
      return reflectorSources(client, { report, clock: hurriedClock });
    },
    sizeWhileRemoved: 1,
  },
];

for (const { where, sources, sizeWhileRemoved } of variants) {
  describe(`informers of a resource that comes and goes, ${where}`, function () {
    this.timeout(60_000);
    let server: TestServer;
    let factory: InformerFactory;
    const reported: unknown[] = [];

    before(async () => {
      server = await startTestServer();
      factory = new InformerFactory(
        sources(server, (error) => reported.push(error)),
        { report: (error) => reported.push(error) },
      );
    });
    after(async () => {
      await factory.stop();
      await server.stop();
      assert.deepEqual(server.errors, []);
    });
    const hasCode = (code: number): boolean =>
      reported.some((error) =>
        [error, (error as Error).cause].some((e) => e instanceof StatusError && e.code === code),
      );

    it('wait for it, follow it, and follow it again', async () => {
      const { installer } = server.running.server;
      const informer = factory.informer(token);
      factory.start();
      await until(() => hasCode(404), 'a report of what is not served');
      await installer.add(first);
      assert.equal(await informer.whenSynced(), true);
      assert.equal((await server.client.post(CRON_TABS, cronTab('one', { schedule: '1' }))).status, 201);
      await until(() => informer.lister.size === 1, 'the first object');

      await installer.replace(first, second);
      assert.equal((await server.client.post(CRON_TABS, cronTab('two', { image: 'i' }))).status, 201);
      await until(() => informer.lister.size === 2, 'an object of the other form');
      assert.deepEqual(informer.lister.get({ namespace: 'default', name: 'two' }), {
        ...(await server.client.get(`${CRON_TABS}/two`)).json,
      });
      assert.equal((await server.client.delete(`${CRON_TABS}/two`)).status, 200);
      await until(() => informer.lister.size === 1, 'the deletion');

      reported.length = 0;
      await installer.remove(second);
      await until(() => hasCode(404) && informer.lister.size === sizeWhileRemoved, 'a report of what is removed');
      await installer.add(second);
      assert.equal((await server.client.post(CRON_TABS, cronTab('three'))).status, 201);
      await until(() => informer.lister.size === 2, 'an object after it came back');
      assert.deepEqual(
        informer.lister
          .list()
          .map(({ metadata }) => metadata.name)
          .toSorted(),
        ['one', 'three'],
      );
    });
  });
}
