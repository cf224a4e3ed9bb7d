/** Watches: what they show, where they begin, how they end. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchStream } from '../fixtures/api-client.ts';
import { assertFailure, configMap, createConfigMaps, onEachStore } from './on-each-store.ts';

type Seen = WatchStream['events'];

const brief = (events: Seen): string[] => events.map((event) => `${event.type} ${event.object.metadata.name}`);

onEachStore('watches', [], (suite) => {
  async function versionOf(path: string): Promise<string> {
    return (await suite.client.get(path)).json.metadata.resourceVersion;
  }

  const create = async (path: string, name: string, labels: Record<string, string> = {}): Promise<any> => {
    const answer = await suite.client.post(path, configMap(name, {}, labels));
    assert.equal(answer.status, 201);
    return answer.json;
  };

  it('show every change once, in order, each with its version', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const watch = suite.client.watch(`${path}?watch=true&resourceVersion=${await versionOf(path)}`);
    const a = await create(path, 'a');
    const changed = (await suite.client.patch(`${path}/a`, 'merge', { data: { k: 'v' } })).json;
    await create(path, 'b');
    assert.equal((await suite.client.delete(`${path}/a`)).status, 200);
    const events = await watch.until((seen) => seen.length === 4);
    assert.deepEqual(brief(events), ['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    assert.deepEqual(events[0]!.object, a);
    assert.deepEqual(events[1]!.object, changed);
    assert.deepEqual(events[3]!.object.data, { k: 'v' });
    const versions = events.map((event) => Number(event.object.metadata.resourceVersion));
    for (let i = 1; i < versions.length; i++) assert.ok(versions[i]! > versions[i - 1]!, `${versions}`);
    watch.close();
  });

  it('begin after the version given, also in the past', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const first = await create(path, 'a');
    await create(path, 'b');
    assert.equal((await suite.client.delete(`${path}/a`)).status, 200);
    const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
    assert.deepEqual(brief(await watch.until((seen) => seen.length === 2)), ['ADDED b', 'DELETED a']);
    watch.close();
  });

  it('begin with what exists when no version or 0 is given', async () => {
    const path = await createConfigMaps(suite, await suite.namespace(), 'a', 3);
    for (const query of ['watch=1', 'watch=1&resourceVersion=0']) {
      const watch = suite.client.watch(`${path}?${query}`);
      const initial = await watch.until((seen) => seen.length === 3);
      assert.deepEqual(brief(initial), ['ADDED a-000', 'ADDED a-001', 'ADDED a-002']);
      assert.equal((await suite.client.patch(`${path}/a-001`, 'merge', { data: { q: query } })).status, 200);
      await watch.until((seen) => seen.length === 4);
      watch.close();
    }
  });

  it('send initial events and mark their end', async () => {
    const path = await createConfigMaps(suite, await suite.namespace(), 'a', 3);
    const watch = suite.client.watch(
      `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const events = await watch.until((seen) => seen.some((event) => event.type === 'BOOKMARK'));
    assert.deepEqual(
      events.map((event) => event.type),
      ['ADDED', 'ADDED', 'ADDED', 'BOOKMARK'],
    );
    const { object } = events[3]!;
    assert.equal(object.metadata.annotations['k8s.io/initial-events-end'], 'true');
    assert.deepEqual([object.kind, object.apiVersion], ['ConfigMap', 'v1']);
    assert.ok(
      Number(object.metadata.resourceVersion) >=
        Math.max(...events.slice(0, 3).map((event) => Number(event.object.metadata.resourceVersion))),
    );
    watch.close();
    assertFailure(
      await suite.client.get(`${path}?watch=1&sendInitialEvents=true`),
      422,
      'Invalid',
      /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    );
    assertFailure(
      await suite.client.get(`${path}?sendInitialEvents=true`),
      422,
      'Invalid',
      /sendInitialEvents is forbidden for list/,
    );
  });

  it('end after timeoutSeconds, with a bookmark for who asked', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const from = await versionOf(path);
    const other = await create(`/api/v1/namespaces/${await suite.namespace()}/configmaps`, 'elsewhere');
    const started = performance.now();
    const [plain, marked] = ['', '&allowWatchBookmarks=true'].map((more) =>
      suite.client.watch(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${from}${more}`),
    ) as [WatchStream, WatchStream];
    assert.deepEqual(await plain.untilEnd(), []);
    const events = await marked.untilEnd();
    assert.ok(performance.now() - started >= 900);
    const last = events.at(-1)!;
    assert.equal(last.type, 'BOOKMARK');
    assert.ok(
      Number(last.object.metadata.resourceVersion) >= Number(other.metadata.resourceVersion),
      'it saves the changes of other namespaces',
    );
    assert.equal(last.object.metadata.name ?? '', '');
  });

  it('turn changes of the selection into ADDED and DELETED', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const watch = suite.client.watch(`${path}?watch=1&labelSelector=on%3Dyes&resourceVersion=${await versionOf(path)}`);
    await create(path, 'a', { on: 'no' });
    await create(path, 'b', { on: 'yes' });
    const label = async (name: string, on: string): Promise<void> => {
      assert.equal(
        (await suite.client.patch(`${path}/${name}`, 'merge', { metadata: { labels: { on } } })).status,
        200,
      );
    };
    await label('a', 'yes');
    assert.equal((await suite.client.patch(`${path}/a`, 'merge', { data: { k: 'v' } })).status, 200);
    await label('b', 'no');
    assert.equal((await suite.client.delete(`${path}/b`)).status, 200);
    assert.equal((await suite.client.delete(`${path}/a`)).status, 200);
    const events = await watch.until((seen) => seen.length === 5);
    assert.deepEqual(brief(events), ['ADDED b', 'ADDED a', 'MODIFIED a', 'DELETED b', 'DELETED a']);
    assert.deepEqual(events[3]!.object.metadata.labels, { on: 'yes' }, 'as it was when it was last selected');
    watch.close();
  });

  it('select by field and by name', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const from = await versionOf(path);
    const watches = [
      suite.client.watch(`${path}?watch=1&fieldSelector=metadata.name%3Db&resourceVersion=${from}`),
      suite.client.watch(`${path}/b?watch=1&resourceVersion=${from}`),
      suite.client.watch(`/api/v1/watch${path.slice('/api/v1'.length)}/b?resourceVersion=${from}`),
    ];
    await create(path, 'a');
    await create(path, 'b');
    await create(path, 'bb');
    assert.equal((await suite.client.delete(`${path}/b`)).status, 200);
    for (const [i, watch] of watches.entries()) {
      // A watch of one object that is asked for as an object is a plain read where the server has no such form.
      if (i === 1 && (await firstStatus(watch)) !== 200) continue;
      assert.deepEqual(brief(await watch.until((seen) => seen.length === 2)), ['ADDED b', 'DELETED b']);
      watch.close();
    }
  });

  async function firstStatus(watch: WatchStream): Promise<number> {
    for (let i = 0; i < 100 && watch.status === 0; i++) await sleep(20);
    return watch.status;
  }

  it('work under the deprecated paths', async () => {
    const namespace = await suite.namespace();
    const path = await createConfigMaps(suite, namespace, 'a', 2);
    const from = await versionOf(path);
    const all = suite.client.watch(`/api/v1/watch/configmaps?resourceVersion=${from}`);
    const own = suite.client.watch(`/api/v1/watch/namespaces/${namespace}/configmaps?resourceVersion=${from}`);
    const one = suite.client.watch(`/api/v1/watch/namespaces/${namespace}/configmaps/a-001`);
    const other = await suite.namespace();
    const of = suite.client.watch(`/api/v1/watch/namespaces/${other}`);
    await create(`/api/v1/namespaces/${other}/configmaps`, 'far');
    assert.equal((await suite.client.patch(`${path}/a-000`, 'merge', { data: { k: 'v' } })).status, 200);
    assert.equal((await suite.client.patch(`${path}/a-001`, 'merge', { data: { k: 'v' } })).status, 200);
    assert.deepEqual(brief(await all.until((seen) => seen.length === 3)), [
      'ADDED far',
      'MODIFIED a-000',
      'MODIFIED a-001',
    ]);
    assert.deepEqual(brief(await own.until((seen) => seen.length === 2)), ['MODIFIED a-000', 'MODIFIED a-001']);
    assert.deepEqual(brief(await one.until((seen) => seen.length === 2)), ['ADDED a-001', 'MODIFIED a-001']);
    assert.deepEqual(brief(await of.until((seen) => seen.length === 1)), [`ADDED ${other}`]);
    for (const watch of [all, own, one, of]) watch.close();
  });

  it('show kinds in the version of their path', async () => {
    const namespace = await suite.namespace();
    const body = {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    const watches = ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2', 'apps/v1'].map(
      (version) =>
        [version, suite.client.watch(`/apis/${version}/namespaces/${namespace}/deployments?watch=1`)] as const,
    );
    assert.equal((await suite.client.post(`/apis/apps/v1/namespaces/${namespace}/deployments`, body)).status, 201);
    for (const [version, watch] of watches) {
      const [event] = await watch.until((seen) => seen.length === 1);
      assert.deepEqual([event!.object.apiVersion, event!.object.kind], [version, 'Deployment']);
      watch.close();
    }
  });

  it('show tables and metadata', async () => {
    const path = await createConfigMaps(suite, await suite.namespace(), 'a', 2);
    const table = suite.client.watch(`${path}?watch=1`, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    const rows = await table.until((seen) => seen.length === 2);
    assert.deepEqual(
      rows.map((event) => [event.type, event.object.kind, event.object.rows[0].cells[0]]),
      [
        ['ADDED', 'Table', 'a-000'],
        ['ADDED', 'Table', 'a-001'],
      ],
    );
    assert.ok(rows[0]!.object.columnDefinitions.length > 0);
    table.close();
    const metadata = suite.client.watch(`${path}?watch=1`, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    const [event] = await metadata.until((seen) => seen.length === 2);
    assert.deepEqual([event!.object.kind, event!.object.data], ['PartialObjectMetadata', undefined]);
    metadata.close();
  });

  it('from a future that does not come end with 410', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${Number(await versionOf(path)) + 1_000_000}`);
    assert.equal((await suite.client.post(path, configMap('unseen'))).status, 201);
    const events = await watch.untilEnd();
    assert.deepEqual(
      events.map((event) => [event.type, event.object.code]),
      [['ERROR', 410]],
    );
  });

  it('refuse a version that is no number', async () => {
    assert.ok((await suite.client.get('/api/v1/configmaps?watch=1&resourceVersion=abc')).status >= 400);
  });

  it('of many watchers all see the same under load', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const from = await versionOf(path);
    const watches = Array.from({ length: 20 }, () => suite.client.watch(`${path}?watch=1&resourceVersion=${from}`));
    await Promise.all(
      Array.from({ length: 10 }, async (_, worker) => {
        await create(path, `w-${worker}`);
        for (let i = 0; i < 10; i++)
          assert.equal(
            (await suite.client.patch(`${path}/w-${worker}`, 'merge', { data: { i: String(i) } })).status,
            200,
          );
      }),
    );
    const all = await Promise.all(watches.map((watch) => watch.until((seen) => seen.length === 110)));
    const order = (events: Seen): string[] =>
      events.map((event) => `${event.object.metadata.name}@${event.object.metadata.resourceVersion}`);
    for (const events of all) assert.deepEqual(order(events), order(all[0]!));
    for (const watch of watches) watch.close();
  });
});

onEachStore('watches of a server with a short history', ['--default-watch-cache-size=5'], (suite) => {
  it('catch up from the store', async () => {
    const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
    const from = (await suite.client.get(path)).json.metadata.resourceVersion;
    for (let i = 0; i < 60; i++) assert.equal((await suite.client.post(path, configMap(`a-${i}`))).status, 201);
    const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${from}`);
    assert.equal((await suite.client.delete(`${path}/a-7`)).status, 200);
    const events = await watch.until((seen) => seen.length === 61);
    assert.deepEqual(brief(events), [...Array.from({ length: 60 }, (_, i) => `ADDED a-${i}`), 'DELETED a-7']);
    watch.close();
  });
});

onEachStore(
  'watches of a server that compacts',
  ['--store-compaction-interval=200ms', '--watch-cache=false'],
  (suite) => {
    it('end with 410 once their version is gone', async () => {
      const path = `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
      const from = (await suite.client.get(path)).json.metadata.resourceVersion;
      for (let i = 0; i < 30; i++) {
        assert.equal((await suite.client.post(path, configMap(`a-${i}`))).status, 201);
        await sleep(30);
      }
      for (let attempt = 0; ; attempt++) {
        const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${from}&timeoutSeconds=1`);
        const events = await watch.untilEnd();
        const error = events.find((event) => event.type === 'ERROR');
        if (error === undefined && attempt < 10) continue;
        assert.deepEqual(
          [error?.object.kind, error?.object.status, error?.object.code, error?.object.reason],
          ['Status', 'Failure', 410, 'Expired'],
        );
        assert.match(error!.object.message, /too old resource version: \d+ \(\d+\)/);
        break;
      }
      // Who lists again goes on.
      const list = (await suite.client.get(path)).json;
      assert.equal(list.items.length, 30);
      const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
      assert.equal((await suite.client.delete(`${path}/a-3`)).status, 200);
      assert.deepEqual(brief(await watch.until((seen) => seen.length === 1)), ['DELETED a-3']);
      watch.close();
    });
  },
);

onEachStore('Events', ['--event-ttl=2s'], (suite) => {
  it('expire, and watchers see it', async () => {
    const namespace = await suite.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    const event = {
      metadata: { name: 'it-happened' },
      involvedObject: { kind: 'Pod', namespace, name: 'p' },
      reason: 'Tested',
      message: 'once',
      type: 'Normal',
    };
    const created = (await suite.client.post(path, event)).json;
    assert.equal(
      (await suite.client.post(`/api/v1/namespaces/${namespace}/configmaps`, configMap('stays'))).status,
      201,
    );
    const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
    const other = (await suite.client.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/it-happened`)).json;
    assert.deepEqual(
      [other.apiVersion, other.regarding.name, other.note, other.metadata.uid],
      ['events.k8s.io/v1', 'p', 'once', created.metadata.uid],
    );
    const [gone] = await watch.until((seen) => seen.length === 1, 15_000);
    assert.deepEqual(
      [gone!.type, gone!.object.metadata.name, gone!.object.message],
      ['DELETED', 'it-happened', 'once'],
    );
    assertFailure(await suite.client.get(`${path}/it-happened`), 404, 'NotFound');
    assert.equal((await suite.client.get(`/api/v1/namespaces/${namespace}/configmaps/stays`)).status, 200);
    watch.close();
  });

  it('live on when they are written again', async () => {
    const namespace = await suite.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    const event = {
      metadata: { name: 'again' },
      involvedObject: { kind: 'Pod', namespace, name: 'p' },
      reason: 'Tested',
      message: 'once',
      type: 'Normal',
      count: 1,
    };
    assert.equal((await suite.client.post(path, event)).status, 201);
    for (let count = 2; count < 6; count++) {
      await sleep(1000);
      assert.equal((await suite.client.patch(`${path}/again`, 'merge', { count })).status, 200, `after ${count - 1} s`);
    }
  });
});
