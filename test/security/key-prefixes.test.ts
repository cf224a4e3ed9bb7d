/**
 * What one list, watch or delete may touch ends at its own prefix (class of CVE-2022-3162), whatever the names around
 * it begin with.
 */
import assert from 'node:assert/strict';
import { onEachStore, type StoreSuite } from '../integration/on-each-store.ts';
import { sampleNames, sampleObject, sampleObjects } from '../fixtures/sample-objects.ts';

/** Each is the beginning of another, or sorts right beside one. */
const namespaces = ['a', 'a-b', 'ab', 'a0', 'b', 'a-b-c'];
/** Names whose characters sort before and after a slash, and that look like keys themselves. */
const names = ['a', 'a-b', 'a.b', 'a0', 'ab', 'a.a-b', 'configmaps', 'a.configmaps', '0'];

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}
const placeOf = ({ metadata }: Named): string => `${metadata.namespace}/${metadata.name}`;
const forge = (start: string, rv: number): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');

onEachStore('keys that begin like others', [], (suite: StoreSuite) => {
  const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
  const expected = (namespace: string): string[] => names.map((name) => `${namespace}/${name}`).toSorted();

  before(async () => {
    for (const namespace of namespaces) {
      assert.equal((await suite.client.post('/api/v1/namespaces', { metadata: { name: namespace } })).status, 201);
      for (const name of names)
        assert.equal((await suite.client.post(maps(namespace), { metadata: { name } })).status, 201);
    }
  });

  it('stay out of lists, in one and in chunks, from the store and from memory', async () => {
    for (const namespace of namespaces) {
      for (const query of [
        '',
        'resourceVersion=0',
        'limit=500',
        'resourceVersionMatch=NotOlderThan&resourceVersion=1',
      ]) {
        const { json } = await suite.client.get(`${maps(namespace)}?${query}`);
        assert.deepEqual(json.items.map(placeOf).toSorted(), expected(namespace), `${namespace} ${query}`);
      }
      const seen: string[] = [];
      for (let token = ''; ;) {
        const { json } = await suite.client.get(`${maps(namespace)}?limit=2&continue=${encodeURIComponent(token)}`);
        seen.push(...json.items.map(placeOf));
        token = json.metadata.continue ?? '';
        if (token === '') break;
      }
      assert.deepEqual(seen.toSorted(), expected(namespace), namespace);
    }
  });

  it('stay out of gets by a part of a name', async () => {
    for (const part of ['a-', 'a.', 'config', 'a.config'])
      assert.ok([400, 404].includes((await suite.client.get(`${maps('a')}/${encodeURIComponent(part)}`)).status), part);
    assert.equal((await suite.client.get(`${maps('a')}/${encodeURIComponent('../a-b/configmaps/a')}`)).status, 400);
  });

  it('stay out of lists that go on by a token made for another prefix', async () => {
    const { json: whole } = await suite.client.get('/api/v1/configmaps?limit=1');
    const revision = Number(whole.metadata.resourceVersion);
    const starts = [
      'a-b/a\0',
      'ab/a',
      '../configmaps/ab/a',
      '-b/a',
      'b/a',
      '\0',
      '0/',
      '\u{10ffff}',
      'a/a\0',
      '.b',
      '0',
    ];
    for (const start of starts) {
      for (const rv of [revision, -1]) {
        const { status, json } = await suite.client.get(`${maps('a')}?limit=500&continue=${forge(start, rv)}`);
        if (status === 200)
          for (const item of json.items as Named[]) assert.equal(item.metadata.namespace, 'a', JSON.stringify(start));
        else assert.equal(status, 400, JSON.stringify(json));
      }
    }
    // A token of all namespaces, of a neighbour and of another resource.
    const tokens = [
      whole.metadata.continue,
      (await suite.client.get(`${maps('a-b')}?limit=1`)).json.metadata.continue,
      (await suite.client.get('/api/v1/namespaces?limit=1')).json.metadata.continue,
    ];
    for (const token of tokens as string[]) {
      for (const url of [
        maps('a'),
        '/api/v1/namespaces/a/secrets',
        '/apis/coordination.k8s.io/v1/namespaces/a/leases',
      ]) {
        const { status, json } = await suite.client.get(`${url}?limit=500&continue=${encodeURIComponent(token)}`);
        if (status === 200)
          for (const item of json.items as Named[])
            assert.ok(url === maps('a') && item.metadata.namespace === 'a', `${url} ${token}: ${placeOf(item)}`);
      }
    }
  });

  it('stay out of watches', async () => {
    const watches = ['a', 'a-b'].map(
      (namespace) => [namespace, suite.client.watch(`${maps(namespace)}?watch=1&resourceVersion=0`)] as const,
    );
    try {
      for (const [namespace, watch] of watches)
        await watch
          .until((events) => events.length >= names.length, 10_000)
          .catch((error: Error) => assert.fail(`${namespace}: ${error.message}`));
      for (const namespace of namespaces) await suite.client.post(maps(namespace), { metadata: { name: 'later' } });
      for (const namespace of namespaces) await suite.client.delete(`${maps(namespace)}/later`);
      for (const [namespace, watch] of watches) {
        const events = await watch.until((seen) => seen.at(-1)?.type === 'DELETED');
        assert.deepEqual(
          events.map(({ object }) => object.metadata.namespace as string).filter((found) => found !== namespace),
          [],
        );
        assert.deepEqual(
          events.slice(names.length).map(({ type, object }) => [type, object.metadata.name]),
          [
            ['ADDED', 'later'],
            ['DELETED', 'later'],
          ],
        );
      }
    } finally {
      for (const [, watch] of watches) watch.close();
    }
  });

  it('stay out of deletes of collections, also with a token for another prefix', async () => {
    const others = namespaces.filter((namespace) => namespace !== 'a');
    const { json } = await suite.client.get(`${maps('a-b')}?limit=1`);
    for (const query of [
      `limit=500&continue=${encodeURIComponent(json.metadata.continue as string)}`,
      `limit=500&continue=${forge('ab/a', -1)}`,
      '',
    ]) {
      const { status } = await suite.client.delete(`${maps('a')}?${query}`);
      assert.ok(status === 200 || status === 400 || status === 410, `${query}: ${status}`);
    }
    assert.deepEqual((await suite.client.get(maps('a'))).json.items, []);
    for (const namespace of others)
      assert.deepEqual(
        (await suite.client.get(maps(namespace))).json.items.map(placeOf).toSorted(),
        expected(namespace),
      );
    // With its objects a namespace deletes no other's.
    await suite.client.post(maps('a'), { metadata: { name: 'last' } });
    await suite.client.delete('/api/v1/namespaces/a');
    for (const namespace of others)
      assert.equal((await suite.client.get(maps(namespace))).json.items.length, names.length, namespace);
  });

  it('are distinguished by resource, for every one that there is', async () => {
    const urls: [url: string, kind: string, created: boolean][] = [];
    for (const key of Object.keys(sampleObjects)) {
      const [group, resource] = key.split('/') as [string, string];
      const found = await urlOf(suite, group, resource);
      if (found === undefined) continue;
      const sample = { ...sampleObject(group, resource) } as { metadata?: object };
      sample.metadata = {
        ...sample.metadata,
        name: sampleNames(group, resource).name,
        ...(found.namespaced ? { namespace: 'ab' } : {}),
      };
      const { status } = await suite.client.post(found.url, sample);
      urls.push([found.url, found.kind, status === 201]);
    }
    const created = urls.filter(([, , isCreated]) => isCreated);
    assert.ok(created.length > 30, `${created.length} of ${urls.length}`);
    for (const [url, kind] of urls) {
      const { json } = await suite.client.get(`${url}?limit=500`);
      assert.equal(json.kind, `${kind}List`, url);
      // Items of a list don't name their kind; each alone does.
      for (const item of json.items as (Named & { kind?: string })[]) {
        const own = await suite.client.get(`${url}/${item.metadata.name}`);
        assert.deepEqual([own.status, own.json.kind, own.json.metadata.name], [200, kind, item.metadata.name], url);
      }
    }
  });
});

async function urlOf(
  { client }: StoreSuite,
  group: string,
  resource: string,
): Promise<{ url: string; kind: string; namespaced: boolean } | undefined> {
  const versions =
    group === ''
      ? ['api/v1']
      : (((await client.get(`/apis/${group}`)).json.versions as { groupVersion: string }[] | undefined)?.map(
          ({ groupVersion }) => `apis/${groupVersion}`,
        ) ?? []);
  for (const version of versions) {
    const { json } = await client.get(`/${version}`);
    const found = (json.resources as { name: string; kind: string; namespaced: boolean; verbs: string[] }[]).find(
      ({ name, verbs }) => name === resource && verbs.includes('list') && verbs.includes('create'),
    );
    if (found !== undefined)
      return {
        url: `/${version}/${found.namespaced ? 'namespaces/ab/' : ''}${resource}`,
        kind: found.kind,
        namespaced: found.namespaced,
      };
  }
  return undefined;
}
