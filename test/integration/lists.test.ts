/** Lists: chunks, versions, selectors. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import { assertFailure, configMap, createConfigMaps, namesOf, onEachStore } from './on-each-store.ts';

onEachStore('lists', [], (suite) => {
  /** All chunks of a list; `between` runs after the first. */
  async function chunks(path: string, query: string, between?: () => Promise<void>): Promise<any[]> {
    const lists: any[] = [];
    let token = '';
    do {
      const answer = await suite.client.get(
        `${path}?${query}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`,
      );
      assert.equal(answer.status, 200, answer.body.toString());
      lists.push(answer.json);
      token = answer.json.metadata.continue ?? '';
      if (lists.length === 1) await between?.();
    } while (token !== '');
    return lists;
  }

  describe('limit and continue', () => {
    it('give at most the limit, and a token while there is more (rule 1)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 25);
      const lists = await chunks(path, 'limit=10');
      assert.deepEqual(
        lists.map((list) => list.items.length),
        [10, 10, 5],
      );
      assert.deepEqual(
        lists.map((list) => list.metadata.remainingItemCount),
        [15, 5, undefined],
      );
      assert.deepEqual(
        lists.flatMap(namesOf),
        Array.from({ length: 25 }, (_, i) => `a-${String(i).padStart(3, '0')}`),
      );
      assert.equal(lists[2].metadata.continue, undefined);
    });

    it('a filtered chunk never ends the walk early (rule 1)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 25);
      const lists = await chunks(path, 'limit=4&labelSelector=parity%3Dodd');
      assert.deepEqual(
        lists.flatMap(namesOf),
        Array.from({ length: 12 }, (_, i) => `a-${String(i * 2 + 1).padStart(3, '0')}`),
      );
      for (const list of lists) assert.equal(list.metadata.remainingItemCount, undefined, 'unknown under a selector');
      const none = await chunks(path, 'limit=4&labelSelector=parity%3Dneither');
      assert.deepEqual(none.flatMap(namesOf), []);
      assert.equal(none.at(-1).metadata.continue ?? '', '');
    });

    it('an empty token means that nothing remains (rule 2)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 5);
      for (const limit of [0, 5, 6, 500])
        assert.equal(
          (await suite.client.get(`${path}?limit=${limit}`)).json.metadata.continue ?? '',
          '',
          `limit ${limit}`,
        );
    });

    it('chunks are one snapshot (rule 3)', async () => {
      const namespace = await suite.namespace();
      const path = await createConfigMaps(suite, namespace, 'a', 30);
      const whole = (await suite.client.get(path)).json;
      const lists = await chunks(path, 'limit=7', async () => {
        assert.equal((await suite.client.post(path, configMap('a-0155'))).status, 201);
        assert.equal((await suite.client.patch(`${path}/a-020`, 'merge', { data: { i: 'changed' } })).status, 200);
        assert.equal((await suite.client.delete(`${path}/a-010`)).status, 200);
        assert.equal((await suite.client.delete(`${path}/a-003`)).status, 200);
      });
      assert.deepEqual(
        lists.flatMap((list) => list.items),
        whole.items,
      );
      assert.equal(new Set(lists.map((list) => list.metadata.resourceVersion)).size, 1, 'one version in every chunk');
      const now = (await suite.client.get(path)).json;
      assert.deepEqual(
        namesOf(now).filter((name) => !namesOf(whole).includes(name)),
        ['a-0155'],
      );
      assert.equal(now.items.length, 29);
    });

    it('a walk may be repeated from the same token (rule 4)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 9);
      const first = (await suite.client.get(`${path}?limit=4`)).json;
      const next = `${path}?limit=4&continue=${first.metadata.continue}`;
      assert.deepEqual((await suite.client.get(next)).json, (await suite.client.get(next)).json);
    });

    it('unknown tokens are rejected (rule 4)', async () => {
      const namespace = await suite.namespace();
      const path = await createConfigMaps(suite, namespace, 'a', 3);
      const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const wrong = [
        'x',
        '!!',
        encode({}),
        encode({ v: 'v0', rv: 1, start: 'a' }),
        encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
        encode({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets/' }),
      ];
      for (const token of wrong)
        assertFailure(
          await suite.client.get(`${path}?limit=2&continue=${encodeURIComponent(token)}`),
          400,
          'BadRequest',
          /continue/,
        );
      const token = (await suite.client.get(`${path}?limit=2`)).json.metadata.continue;
      assertFailure(
        await suite.client.get(`${path}?limit=2&continue=${token}&resourceVersion=5`),
        400,
        'BadRequest',
        /resource version is not allowed when using continue/,
      );
    });

    it('tokens are those of stock servers, which name the key below the path of the list', async () => {
      const namespace = await suite.namespace();
      const path = await createConfigMaps(suite, namespace, 'a', 3);
      const { resourceVersion, continue: token } = (await suite.client.get(`${path}?limit=1`)).json.metadata;
      assert.equal(
        Buffer.from(token, 'base64url').toString(),
        `{"v":"meta.k8s.io/v1","rv":${resourceVersion},"start":"a-000\\u0000"}`,
      );
      const ofStock = (start: string): string =>
        Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: Number(resourceVersion), start })).toString('base64url');
      assert.deepEqual(namesOf((await suite.client.get(`${path}?limit=1&continue=${ofStock('a-001\0')}`)).json), [
        'a-002',
      ]);
      const selector = `fieldSelector=metadata.namespace%3D${namespace}`;
      const everywhere = (
        await suite.client.get(`/api/v1/configmaps?limit=1&${selector}&continue=${ofStock(`${namespace}/a-000\0`)}`)
      ).json;
      assert.deepEqual(namesOf(everywhere), ['a-001']);
      assert.match(
        Buffer.from(everywhere.metadata.continue, 'base64url').toString(),
        new RegExp(`"start":"${namespace}/a-001\\\\u0000"`),
      );
    });

    it('a version that is no number is a bad request', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 1);
      for (const version of ['null', '-1', 'abc']) {
        for (const query of [`resourceVersion=${version}`, `watch=1&resourceVersion=${version}`])
          assertFailure(await suite.client.get(`${path}?${query}`), 400, 'BadRequest', /^invalid resource version: /);
        assertFailure(
          await suite.client.get(`${path}/a-000?resourceVersion=${version}`),
          400,
          'BadRequest',
          /^invalid resource version: /,
        );
      }
    });

    it('a token cannot lead out of its collection', async () => {
      const [one, two] = [await suite.namespace(), await suite.namespace()];
      await createConfigMaps(suite, two, 'hidden', 3);
      const path = await createConfigMaps(suite, one, 'a', 3);
      const { rv } = JSON.parse(
        Buffer.from((await suite.client.get(`${path}?limit=1`)).json.metadata.continue, 'base64url').toString(),
      );
      const start = `${two}/hidden-000`;
      const forged = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
      const answer = await suite.client.get(`${path}?limit=5&continue=${forged}`);
      if (answer.status === 200) assert.deepEqual(namesOf(answer.json), []);
      else assertFailure(answer, 400, 'BadRequest');
    });

    it('a watch takes neither into account (rule 6)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 3);
      const watch = suite.client.watch(`${path}?watch=1&limit=1&resourceVersion=0`);
      await watch.until((events) => events.length === 3);
      watch.close();
    });

    it('a watch from the version of a completed walk misses nothing (rule 7)', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 12);
      const lists = await chunks(path, 'limit=5', async () => {
        assert.equal((await suite.client.delete(`${path}/a-001`)).status, 200);
        assert.equal((await suite.client.patch(`${path}/a-011`, 'merge', { data: { i: 'x' } })).status, 200);
      });
      const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${lists[0].metadata.resourceVersion}`);
      const events = await watch.until((seen) => seen.length === 2);
      assert.deepEqual(
        events.map((event) => [event.type, event.object.metadata.name]),
        [
          ['DELETED', 'a-001'],
          ['MODIFIED', 'a-011'],
        ],
      );
      watch.close();
    });

    it('walks work in tables, metadata and protobuf', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 5);
      const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      const first = (await suite.client.get(`${path}?limit=3`, accept)).json;
      assert.deepEqual([first.kind, first.rows.length], ['Table', 3]);
      const second = (await suite.client.get(`${path}?limit=3&continue=${first.metadata.continue}`, accept)).json;
      assert.deepEqual(
        second.rows.map((row: any) => row.cells[0]),
        ['a-003', 'a-004'],
      );
      const metadata = (
        await suite.client.get(`${path}?limit=2`, {
          accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        })
      ).json;
      assert.deepEqual([metadata.kind, namesOf(metadata)], ['PartialObjectMetadataList', ['a-000', 'a-001']]);
      assert.ok(metadata.metadata.continue);
    });
  });

  describe('resourceVersion', () => {
    it('unset reads whatever was acknowledged', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 1);
      for (let i = 0; i < 20; i++) {
        const written = (await suite.client.patch(`${path}/a-000`, 'merge', { data: { i: `v${i}` } })).json;
        const list = (await suite.client.get(path)).json;
        assert.equal(list.items[0].data.i, `v${i}`);
        assert.ok(Number(list.metadata.resourceVersion) >= Number(written.metadata.resourceVersion));
        assert.equal((await suite.client.get(`${path}/a-000`)).json.data.i, `v${i}`);
      }
    });

    it('0 reads the cache', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 4);
      assert.deepEqual(namesOf((await suite.client.get(`${path}?resourceVersion=0`)).json).length, 4);
      assert.equal((await suite.client.get(`${path}/a-001?resourceVersion=0`)).status, 200);
    });

    it('any other is at least as fresh, and waits for the future only a while', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 4);
      const { resourceVersion } = (await suite.client.get(path)).json.metadata;
      const list = (await suite.client.get(`${path}?resourceVersion=${resourceVersion}`)).json;
      assert.ok(Number(list.metadata.resourceVersion) >= Number(resourceVersion));
      const status = assertFailure(
        await suite.client.get(`${path}?resourceVersion=${Number(resourceVersion) + 100_000}`),
        504,
        'Timeout',
        /Too large resource version/,
      );
      assert.equal(status.details.causes[0].reason, 'ResourceVersionTooLarge');
      assert.equal(status.details.retryAfterSeconds, 1);
    });

    it('Exact reads the past', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 4);
      const then = (await suite.client.get(path)).json;
      assert.equal((await suite.client.delete(`${path}/a-000`)).status, 200);
      assert.equal((await suite.client.patch(`${path}/a-001`, 'merge', { data: { i: 'new' } })).status, 200);
      const exact = (
        await suite.client.get(`${path}?resourceVersionMatch=Exact&resourceVersion=${then.metadata.resourceVersion}`)
      ).json;
      assert.deepEqual(exact.items, then.items);
      assert.equal(exact.metadata.resourceVersion, then.metadata.resourceVersion);
      const limited = (await suite.client.get(`${path}?limit=3&resourceVersion=${then.metadata.resourceVersion}`)).json;
      assert.deepEqual(limited.items, then.items.slice(0, 3));
      const notOlder = (
        await suite.client.get(
          `${path}?resourceVersionMatch=NotOlderThan&resourceVersion=${then.metadata.resourceVersion}`,
        )
      ).json;
      assert.equal(notOlder.items.length, 3);
    });

    it('is checked', async () => {
      const path = '/api/v1/configmaps';
      assertFailure(
        await suite.client.get(`${path}?resourceVersionMatch=Exact`),
        422,
        'Invalid',
        /resourceVersionMatch is forbidden unless resourceVersion is provided/,
      );
      assertFailure(
        await suite.client.get(`${path}?resourceVersionMatch=Exact&resourceVersion=0`),
        422,
        'Invalid',
        /forbidden for resourceVersion "0"/,
      );
      assertFailure(
        await suite.client.get(`${path}?resourceVersionMatch=Newest&resourceVersion=1`),
        422,
        'Invalid',
        /Unsupported value: "Newest"/,
      );
      assert.ok((await suite.client.get(`${path}?resourceVersion=abc`)).status >= 400);
    });
  });

  describe('selectors', () => {
    it('by label', async () => {
      const namespace = await suite.namespace();
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      for (const [name, labels] of [
        ['a', { tier: 'web', env: 'prod' }],
        ['b', { tier: 'db', env: 'prod' }],
        ['c', { tier: 'web' }],
        ['d', {}],
      ] as const) {
        assert.equal((await suite.client.post(path, configMap(name, {}, labels))).status, 201);
      }
      const cases: [string, string[]][] = [
        ['tier=web', ['a', 'c']],
        ['tier==web,env=prod', ['a']],
        ['tier!=web', ['b', 'd']],
        ['tier in (web,db)', ['a', 'b', 'c']],
        ['tier notin (web)', ['b', 'd']],
        ['env', ['a', 'b']],
        ['!env', ['c', 'd']],
        ['tier in (db),!none', ['b']],
        ['', ['a', 'b', 'c', 'd']],
      ];
      for (const [selector, names] of cases)
        assert.deepEqual(
          namesOf((await suite.client.get(`${path}?labelSelector=${encodeURIComponent(selector)}`)).json),
          names,
          selector,
        );
      assertFailure(await suite.client.get(`${path}?labelSelector=${encodeURIComponent('a in (')}`), 400, 'BadRequest');
    });

    it('by field', async () => {
      const namespace = await suite.namespace();
      await createConfigMaps(suite, namespace, 'a', 3);
      const everywhere = (selector: string): Promise<any> =>
        suite.client.get(`/api/v1/configmaps?fieldSelector=${encodeURIComponent(selector)}`);
      assert.deepEqual(namesOf((await everywhere(`metadata.namespace=${namespace},metadata.name=a-001`)).json), [
        'a-001',
      ]);
      assert.deepEqual(namesOf((await everywhere(`metadata.namespace=${namespace},metadata.name!=a-001`)).json), [
        'a-000',
        'a-002',
      ]);
      assertFailure(
        await everywhere('data.x=1'),
        400,
        'BadRequest',
        /not a known field selector|field label not supported/,
      );
    });

    it('by fields of the kind', async () => {
      const namespace = await suite.namespace();
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const pod = (name: string, nodeName?: string): object => ({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
      });
      for (const body of [pod('free'), pod('bound', 'node-1')])
        assert.equal((await suite.client.post(path, body)).status, 201);
      const select = async (selector: string): Promise<string[]> =>
        namesOf((await suite.client.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`)).json);
      assert.deepEqual(await select('spec.nodeName='), ['free']);
      assert.deepEqual(await select('spec.nodeName=node-1,status.phase=Pending'), ['bound']);
      assert.deepEqual(await select('status.phase!=Pending'), []);
    });
  });
});

describe('tokens after a compaction', () => {
  for (const store of ['embedded', 'etcd'] as const) {
    it(`are 410 with a token for the rest (${store})`, async () => {
      const etcd = store === 'etcd' ? await EtcdServer.start() : undefined;
      const dir = mkdtempSync(join(tmpdir(), 'binnacle-test-'));
      const settings = { dir, ...(etcd === undefined ? {} : { etcd: etcd.url }) };
      let server = await startTestServer(settings);
      try {
        const path = await createConfigMaps(server, 'default', 'a', 10);
        const first = (await server.client.get(`${path}?limit=4`)).json;
        await server.stop();
        // A new process keeps no snapshots: what it lists of the past comes from the store's history.
        server = await startTestServer({ ...settings, args: ['--store-compaction-interval=200ms'] });
        assert.equal((await server.client.get(`${path}?limit=4&continue=${first.metadata.continue}`)).status, 200);
        let answer;
        for (let i = 0; i < 50; i++) {
          assert.equal((await server.client.patch(`${path}/a-009`, 'merge', { data: { i: `x${i}` } })).status, 200);
          await sleep(100);
          answer = await server.client.get(`${path}?limit=4&continue=${first.metadata.continue}`);
          if (answer.status !== 200) break;
        }
        const status = assertFailure(answer!, 410, 'Expired', /continue parameter is too old/);
        const rest = await server.client.get(`${path}?limit=40&continue=${status.metadata.continue}`);
        assert.equal(rest.status, 200);
        assert.deepEqual(namesOf(rest.json), ['a-004', 'a-005', 'a-006', 'a-007', 'a-008', 'a-009']);
        assertFailure(
          await server.client.get(
            `${path}?resourceVersionMatch=Exact&resourceVersion=${first.metadata.resourceVersion}`,
          ),
          410,
          'Expired',
        );
      } finally {
        await server.stop();
        await etcd?.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    });
  }
});
