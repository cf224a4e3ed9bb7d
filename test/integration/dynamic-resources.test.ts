import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { promisify } from 'node:util';
import { CRON_TABS as PATH, cronTab as object, cronTabs, IMAGE, SCHEDULE } from '../fixtures/cron-tabs.ts';
import type { TestServer } from '../fixtures/test-server.ts';
import { onEachStore } from './on-each-store.ts';

interface Watch {
  readonly events: { type: string; object: { code?: number; metadata: { name: string } } }[];
  ended: boolean;
  close(): void;
}

onEachStore('resources that come and go while the server runs', ['--encode-thread-bytes=1000'], (suite) => {
  let server: TestServer;
  const first = cronTabs([SCHEDULE]);
  const second = cronTabs([SCHEDULE, IMAGE]);
  let others: Watch[] = [];
  let written = 0;

  before(async () => {
    server = suite.server;
    others = await Promise.all(Array.from({ length: 100 }, () => watch('/api/v1/namespaces/default/configmaps')));
  });
  after(() => {
    for (const other of others) other.close();
  });

  async function kubectl(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(
      'kubectl',
      [
        '--kubeconfig',
        server.running.kubeconfig.path,
        '--cache-dir',
        `${server.running.kubeconfig.path}.cache`,
        ...args,
      ],
      { timeout: 30_000 },
    );
    return stdout;
  }

  function watch(path: string): Promise<Watch> {
    const url = new URL(`${server.running.url}${path}?watch=1&resourceVersion=0&timeoutSeconds=300`);
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${server.running.token}` } },
        (answer) => {
          const watched: Watch = { events: [], ended: false, close: () => sent.destroy() };
          let rest = '';
          answer.setEncoding('utf8').on('data', (text: string) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop()!;
            watched.events.push(...lines.map((line) => JSON.parse(line) as Watch['events'][number]));
          });
          answer.on('end', () => (watched.ended = true)).on('error', () => (watched.ended = true));
          resolve(watched);
        },
      );
      sent.on('error', reject).end();
    });
  }

  async function until(holds: () => boolean, what: string): Promise<void> {
    for (const deadline = Date.now() + 20_000; !holds();) {
      if (Date.now() > deadline) assert.fail(`not in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** One event for each of the others, before the change and after it. */
  async function write(): Promise<void> {
    const name = `other-${written++}`;
    await server.client.send('POST', '/api/v1/namespaces/default/configmaps', {
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
    });
  }

  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const { status, body: bytes } = await server.client.send(method, path, {
      body: body === undefined ? undefined : JSON.stringify(body),
      headers,
    });
    return { status, text: bytes.toString() };
  };

  it('are unknown before they are added', async () => {
    await write();
    assert.equal((await send('GET', PATH)).status, 404);
    assert.equal((await send('GET', '/openapi/v3/apis/stable.example.com/v1')).status, 404);
    assert.match((await send('GET', '/openapi/v2')).text, /configmaps/);
  });

  it('are served to kubectl once they are added: create, get, list, table, explain', async () => {
    await server.running.server.installer.add(first);
    await write();
    assert.equal((await send('POST', PATH, object('one', { schedule: '1 * * * *' }))).status, 201);
    assert.match(await kubectl('api-resources', '--api-group=stable.example.com'), /crontabs +ct +stable/);
    assert.match(await kubectl('get', 'ct'), /NAME +SCHEDULE\none +1 \* \* \* \*/);
    assert.match(await kubectl('get', 'crontab', 'one', '-o', 'jsonpath={.spec.schedule}'), /^1 \* \* \* \*$/);
    assert.match(await kubectl('explain', 'crontab.spec'), /schedule\s+<string>\s+In the form of cron/);
    assert.match((await send('GET', '/openapi/v2')).text, /com\.example\.stable\.v1\.CronTab/);
  });

  it('are JSON alone: no protobuf and no strategic merge patch', async () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    assert.equal((await send('GET', PATH, undefined, { accept: protobuf })).status, 406);
    assert.equal((await send('POST', PATH, object('two'), { 'content-type': protobuf })).status, 415);
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    assert.equal((await send('PATCH', `${PATH}/one`, { spec: {} }, strategic)).status, 415);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { status, text } = await send('PATCH', `${PATH}/one`, { spec: { schedule: '2 * * * *', image: 'x' } }, merge);
    assert.deepEqual([status, JSON.parse(text).spec], [200, { schedule: '2 * * * *' }]);
  });

  it('take another schema, which ends their own watches with 410', async () => {
    const own = await watch(PATH);
    await until(() => own.events.length === 1, 'the first event');
    const before = (await send('GET', '/openapi/v3')).text;
    await server.running.server.installer.replace(first, second);
    await write();
    await until(() => own.ended, 'the end of the watch');
    assert.deepEqual([own.events.at(-1)!.type, own.events.at(-1)!.object.code], ['ERROR', 410]);
    const { status, text } = await send('PUT', `${PATH}/one`, object('one', { schedule: '3 * * * *', image: 'x' }));
    assert.deepEqual([status, JSON.parse(text).spec], [200, { schedule: '3 * * * *', image: 'x' }]);
    const hash = (index: string, name: string): string => JSON.parse(index).paths[name].serverRelativeURL;
    const after = (await send('GET', '/openapi/v3')).text;
    assert.notEqual(hash(after, 'apis/stable.example.com/v1'), hash(before, 'apis/stable.example.com/v1'));
    assert.equal(hash(after, 'api/v1'), hash(before, 'api/v1'));
    assert.match(await kubectl('explain', 'crontab.spec'), /image\s+<string>/);
  });

  it('end their own watches with 404 when they are removed, and are gone', async () => {
    const own = await watch(PATH);
    await until(() => own.events.length === 1, 'the first event');
    await server.running.server.installer.remove(second);
    await write();
    await until(() => own.ended, 'the end of the watch');
    assert.deepEqual([own.events.at(-1)!.type, own.events.at(-1)!.object.code], ['ERROR', 404]);
    assert.equal((await send('GET', PATH)).status, 404);
    assert.doesNotMatch((await send('GET', '/apis')).text, /stable\.example\.com/);
    assert.equal((await send('GET', '/openapi/v3/apis/stable.example.com/v1')).status, 404);
  });

  it('find their objects again when they come back, and have threads encode their lists', async () => {
    const { installer, pools } = server.running.server;
    await installer.add(second);
    assert.equal((await send('POST', PATH, object('two', { image: 'x'.repeat(2000) }))).status, 201);
    await installer.remove(second);
    await installer.add(second);
    const tasks = pools.counts.codecPool;
    const { items } = JSON.parse((await send('GET', PATH)).text);
    assert.equal(pools.counts.codecPool, tasks + 1);
    for (const item of items) {
      const {
        apiVersion: _,
        kind: __,
        ...single
      } = JSON.parse((await send('GET', `${PATH}/${item.metadata.name}`)).text);
      assert.deepEqual(single, item);
    }
    assert.deepEqual(JSON.parse((await send('GET', `${PATH}/one`)).text).spec, { schedule: '3 * * * *', image: 'x' });
    await assert.rejects(server.running.server.installer.add(first), /registered twice/);
    assert.equal((await send('GET', `${PATH}/one`)).status, 200);
  });

  it('leave a hundred other watches with every event and none ended', async () => {
    const names = (watched: Watch): string[] =>
      watched.events.map(({ object: { metadata } }) => metadata.name).filter((name) => name.startsWith('other-'));
    const expected = Array.from({ length: written }, (_, i) => `other-${i}`);
    await until(() => others.every((other) => names(other).length >= written), 'all events');
    for (const other of others) assert.deepEqual([names(other), other.ended], [expected, false]);
  });
});
