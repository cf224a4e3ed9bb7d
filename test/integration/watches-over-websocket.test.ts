/** Watches over WebSocket: a message per event, and otherwise what every watch is. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { opcodes } from '../../pkg/server/websocket/server-frames.ts';
import type { ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { WebSocketClient, type Message } from '../fixtures/web-socket-client.ts';
import { configMap } from './on-each-store.ts';

const path = '/api/v1/namespaces/default/configmaps';
const events = (messages: readonly Message[]): { type: string; object: any }[] =>
  messages.filter(({ opcode }) => opcode === opcodes.text).map(({ payload }) => JSON.parse(String(payload)));
const brief = (messages: readonly Message[]): string[] =>
  events(messages).map(({ type, object }) => `${type} ${object.metadata.name ?? object.code ?? ''}`.trim());

describe('watches over WebSocket', () => {
  let server: TestServer;
  let client: ApiClient;
  const open = new Set<WebSocketClient>();

  before(async () => {
    server = await startTestServer();
    client = server.client;
    for (const name of ['a', 'b']) assert.equal((await client.post(path, configMap(name))).status, 201);
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
    open.clear();
  });
  after(async () => {
    await server?.stop();
    assert.deepEqual(server?.errors, []);
  });

  async function watch(
    target: string,
    headers: Record<string, string> = {},
    to: TestServer = server,
  ): Promise<WebSocketClient> {
    const socket = await WebSocketClient.open(new URL(target, to.running.url), {
      authorization: `Bearer ${to.running.token}`,
      ...headers,
    });
    open.add(socket);
    return socket;
  }
  const refusal = (
    target: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; headers: Record<string, string>; message: string }> =>
    watch(target, headers).then(
      () => assert.fail('switched'),
      (error) => error,
    );
  /** A config map's selector, so that the events of other tests stay out. */
  const named = (name: string): string => `${path}?watch=true&fieldSelector=metadata.name%3D${name}`;

  it('send each event as a message of text, which ends as a line does', async () => {
    const socket = await watch(named('a'));
    assert.deepEqual(
      [
        socket.headers.upgrade,
        socket.headers['content-type'],
        socket.headers['transfer-encoding'],
        socket.headers['sec-websocket-protocol'],
      ],
      ['websocket', undefined, undefined, undefined],
    );
    await socket.until((seen) => seen.length === 1);
    const changed = await client.patch(`${path}/a`, 'merge', { data: { large: 'x'.repeat(100_000) } });
    const seen = await socket.until(({ length }) => length === 2);
    assert.deepEqual(brief(seen), ['ADDED a', 'MODIFIED a']);
    assert.deepEqual(events(seen)[1]!.object, changed.json);
    assert.ok(seen.every(({ payload }) => payload.at(-1) === 0x0a));
    await client.patch(`${path}/a`, 'merge', { data: { large: null } });
  });

  it('send many events at once one by one, to several watchers, some of them without a WebSocket', async () => {
    const sockets = await Promise.all([1, 2].map(() => watch(`${path}?watch=true&labelSelector=many`)));
    const plain = client.watch(`${path}?watch=true&labelSelector=many`);
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => client.post(path, configMap(`many-${i}`, {}, { many: '' }))),
    );
    const lines = (await plain.until(({ length }) => length === 40)).map((event) => JSON.stringify(event));
    for (const socket of sockets)
      assert.deepEqual(
        events(await socket.until(({ length }) => length === 40)).map((event) => JSON.stringify(event)),
        lines,
      );
    plain.close();
  });

  it('send protobuf in binary messages', async () => {
    const socket = await watch(named('a'), { accept: 'application/vnd.kubernetes.protobuf' });
    const [message] = await socket.until(({ length }) => length === 1);
    assert.equal(message!.opcode, opcodes.binary);
    assert.ok(String(message!.payload).startsWith('\n\u0005ADDED'));
    assert.ok(message!.payload.includes('k8s\0'));
  });

  it('send tables', async () => {
    const socket = await watch(named('a'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const [event] = events(await socket.until(({ length }) => length === 1));
    assert.deepEqual([event!.type, event!.object.kind, event!.object.rows[0].cells[0]], ['ADDED', 'Table', 'a']);
  });

  it('are there under the deprecated paths, and for all namespaces', async () => {
    for (const target of [
      '/api/v1/watch/namespaces/default/configmaps/a',
      '/api/v1/configmaps?watch=1&fieldSelector=metadata.name%3Da',
    ]) {
      assert.deepEqual(brief(await (await watch(target)).until(({ length }) => length === 1)), ['ADDED a']);
    }
  });

  it('answer a subprotocol as it is, and refuse several', async () => {
    for (const protocol of ['binary.k8s.io', 'base64.binary.k8s.io', 'anything']) {
      const socket = await watch(named('a'), { 'sec-websocket-protocol': protocol });
      assert.equal(socket.headers['sec-websocket-protocol'], protocol);
      assert.equal((await socket.until(({ length }) => length === 1))[0]!.opcode, opcodes.text);
    }
    assert.equal((await refusal(named('a'), { 'sec-websocket-protocol': 'a, b' })).status, 400);
  });

  it('take a token among the subprotocols, and show none', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.running.token).toString('base64url')}`;
    const socket = await watch(named('a'), { authorization: '', 'sec-websocket-protocol': `${token}, binary.k8s.io` });
    assert.equal(socket.headers['sec-websocket-protocol'], 'binary.k8s.io');
  });

  it('are for those who may, and for handshakes that are whole', async () => {
    assert.equal((await refusal(named('a'), { authorization: 'Bearer nobody' })).status, 401);
    assert.equal((await refusal(named('a'), { 'impersonate-user': 'nobody' })).status, 403);
    assert.equal((await refusal('/api/v1/namespaces/default/nothing?watch=1', {})).status, 404);
    assert.equal((await refusal(named('a'), { 'sec-websocket-key': 'short' })).status, 400);
    const { status, headers } = await refusal(named('a'), { 'sec-websocket-version': '8' });
    assert.deepEqual([status, headers['sec-websocket-version']], [400, '13']);
    assert.equal((await refusal(`${path}?watch=1&resourceVersion=many`, {})).status, 400);
  });

  it('end with a close frame at their timeout', async () => {
    const socket = await watch(`${named('a')}&timeoutSeconds=1&allowWatchBookmarks=true`);
    assert.equal(await socket.untilClosed(), 1000);
    assert.deepEqual(
      events(socket.messages).map(({ type }) => type),
      ['ADDED', 'BOOKMARK'],
    );
  });

  it('say what is wrong with a version that is gone, and close', async () => {
    const small = await startTestServer({ args: ['--watch-cache-sizes=configmaps#10'] });
    try {
      const first = (await small.client.post(path, configMap('first'))).json.metadata.resourceVersion;
      const socket = await watch(
        `${path}?watch=1&resourceVersion=${Number(first) + 1_000_000}&timeoutSeconds=5`,
        {},
        small,
      );
      await socket.untilClosed();
      assert.deepEqual(brief(socket.messages), ['ERROR 410']);
    } finally {
      await small.stop();
    }
  });

  it('answer pings, and skip what else a client says', async () => {
    const socket = await watch(named('a'));
    await socket.until(({ length }) => length === 1);
    socket.send(opcodes.text, 'hello');
    socket.send(opcodes.ping, 'are you there?');
    const [, pong] = await socket.until(({ length }) => length === 2);
    assert.deepEqual([pong!.opcode, String(pong!.payload)], [opcodes.pong, 'are you there?']);
  });

  const endings: readonly (readonly [string, (socket: WebSocketClient) => void, number | undefined])[] = [
    ['closes', (socket) => socket.send(opcodes.close), 1000],
    ['sends what is no frame of a client', (socket) => socket.socket.write(Buffer.from([0x81, 0])), 1002],
    ['closes its side', (socket) => socket.socket.end(), 1000],
    ['is gone', (socket) => socket.destroy(), undefined],
  ];
  for (const [what, act, code] of endings) {
    it(`end when the client ${what}`, async () => {
      const socket = await watch(named('a'));
      await socket.until(({ length }) => length === 1);
      const watching = async (): Promise<number> =>
        Number(
          /^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*verb="WATCH"[^}]*\} (\d+)/m.exec(
            String((await client.get('/metrics')).body),
          )?.[1] ?? 0,
        );
      assert.equal(await watching(), 1);
      act(socket);
      assert.equal(await socket.untilClosed(), code);
      while ((await watching()) !== 0) await sleep(10);
    });
  }

  it('keep to the rate of their connection', async () => {
    const slow = await startTestServer({ args: ['--max-connection-bytes-per-sec=200000'] });
    try {
      assert.equal((await slow.client.post(path, configMap('a', { v: 'x'.repeat(10_000) }))).status, 201);
      const socket = await watch(named('a'), {}, slow);
      socket.send(opcodes.ping, 'now');
      const seen = await socket.until(({ length }) => length === 2);
      assert.deepEqual(seen.map(({ opcode }) => opcode).toSorted(), [opcodes.text, opcodes.pong]);
    } finally {
      await slow.stop();
    }
  });

  it('end with a close frame when the server stops', async () => {
    const stopping = await startTestServer();
    const socket = await watch(`${path}?watch=1`, {}, stopping);
    await stopping.stop();
    assert.equal(await socket.untilClosed(), 1000);
  });
});
