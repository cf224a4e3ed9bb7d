import assert from 'node:assert/strict';
import { connect, createServer } from 'node:http2';
import type { ClientHttp2Session, Http2Server, ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { nextChanges } from '../event-collector.ts';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import { FallbackTransport } from './fallback-transport.ts';
import { openEtcdStore } from './open-etcd-store.ts';
import type { EtcdTransport, RangeAnswer, SwapAnswer } from './transport.ts';
import type { WatchListener } from './watch-connection.ts';

const key = Buffer.from('a');
const compare = { target: 'modRevision', value: 3 } as const;
const strange = (sent: boolean) => new EtcdCallError(grpcStatus.unavailable, 'nonsense', { sent, notUnderstood: true });

class ScriptedTransport implements EtcdTransport {
  readonly calls: string[] = [];
  readonly listeners: WatchListener[] = [];
  readonly #failure: EtcdCallError | undefined;

  constructor(failure?: EtcdCallError) {
    this.#failure = failure;
  }

  range(): Promise<RangeAnswer> {
    return this.#answer('range', { items: [], more: false, count: 0 });
  }

  swap(): Promise<SwapAnswer> {
    return this.#answer('swap', { succeeded: true, current: undefined });
  }

  watch(_range: unknown, listener: WatchListener) {
    this.calls.push('watch');
    this.listeners.push(listener);
    return { pause: () => undefined, resume: () => undefined, close: () => undefined, abandon: () => undefined };
  }

  close(): void {
    this.calls.push('close');
  }

  async #answer<T>(call: string, answer: T): Promise<T & { revision: number; clusterId: number }> {
    this.calls.push(call);
    if (this.#failure !== undefined) throw this.#failure;
    return { revision: 7, clusterId: 1, ...answer };
  }
}

describe('fallback from one transport to another', () => {
  const make = (failure?: EtcdCallError) => {
    const [first, second] = [new ScriptedTransport(failure), new ScriptedTransport()];
    const warnings: string[] = [];
    return {
      first,
      second,
      warnings,
      transport: new FallbackTransport({ first, second, onFallback: (reason) => warnings.push(reason) }),
    };
  };
  const options = { timeoutMs: 1000 };

  it('stays with the first while it is understood, after any other failure', async () => {
    const { first, second, warnings, transport } = make(
      new EtcdCallError(grpcStatus.unavailable, 'gone', { sent: true }),
    );
    await assert.rejects(transport.range({ key }, options), /gone/);
    await assert.rejects(transport.swap({ key, compare }, options), /gone/);
    assert.deepEqual([first.calls, second.calls, warnings], [['range', 'swap'], [], []]);
  });

  it('sends a read again over the second, and everything from then on, with one warning', async () => {
    const { first, second, warnings, transport } = make(strange(true));
    const answers = await Promise.all([transport.range({ key }, options), transport.range({ key }, options)]);
    assert.deepEqual(
      answers.map(({ revision }) => revision),
      [7, 7],
    );
    await transport.swap({ key, compare }, options);
    assert.deepEqual(
      [first.calls, second.calls, warnings],
      [['range', 'range'], ['range', 'range', 'swap'], ['nonsense']],
    );
  });

  it('sends a write again only when it certainly did not happen', async () => {
    const lost = make(strange(true));
    await assert.rejects(
      lost.transport.swap({ key, compare }, options),
      (error: EtcdCallError) => error.mayHaveHappened,
    );
    assert.deepEqual(lost.second.calls, []);
    const unsent = make(strange(false));
    assert.equal((await unsent.transport.swap({ key, compare }, options)).succeeded, true);
    assert.deepEqual(unsent.second.calls, ['swap']);
  });

  it('ends a watch that is not understood, and opens the next over the second', () => {
    const { first, second, warnings, transport } = make();
    const ends: string[] = [];
    const listener = {
      onCreated: () => undefined,
      onEvents: () => undefined,
      onProgress: () => undefined,
      onEnd: ({ kind }: { kind: string }) => void ends.push(kind),
    };
    const range = { key, end: key, startRevision: 1, prefixBytes: 0 };
    transport.watch(range, listener);
    first.listeners[0]!.onEnd({ kind: 'broken', cause: strange(true) });
    transport.watch(range, listener);
    assert.deepEqual([ends, second.calls, warnings], [['broken'], ['watch'], ['nonsense']]);
  });
});

/** Passes gRPC on as some proxies do: with an additional header, in characters that this client does not read. */
class HeaderAddingProxy {
  readonly #server: Http2Server;
  readonly #upstream: ClientHttp2Session;
  readonly #sessions: ServerHttp2Session[] = [];

  constructor(target: string) {
    const upstream = connect(target);
    this.#upstream = upstream.on('error', () => undefined);
    this.#server = createServer().on('session', (session) => this.#sessions.push(session));
    this.#server.on('stream', (stream, headers) => {
      const request = upstream.request({ ...headers, ':authority': undefined });
      let trailers = {};
      stream
        .on('error', () => request.close())
        .on('close', () => request.close())
        .on('wantTrailers', () => stream.sendTrailers(trailers))
        .pipe(request);
      request.on('error', () => stream.close()).on('trailers', (received) => (trailers = received));
      request.on('response', (answer, flags) => {
        if (stream.destroyed) return;
        stream.respond(
          { ...answer, 'x-served-by': 'Z\u00fcrich-1111111111111' },
          { waitForTrailers: (flags & 1) === 0, endStream: (flags & 1) === 1 },
        );
        request.pipe(stream);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const session of [...this.#sessions, this.#upstream]) session.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

describe('etcd behind a proxy that the fast client does not understand', function () {
  this.timeout(60_000);

  it('is used over etcd3, without a lost or wrong answer and with one warning', async () => {
    const server = await EtcdServer.start();
    const proxy = new HeaderAddingProxy(server.url);
    const warnings: string[] = [];
    const store = openEtcdStore({
      servers: [await proxy.start()],
      prefix: '/proxied',
      timeoutMs: 5000,
      warn: (message) => warnings.push(message),
    });
    try {
      // The answer to the first write is not understood, and the write happened: the expected revision shows that.
      const stream = store.watch('a/', 1);
      const created = await store.commit('a/x', { expectRevision: 0, value: Buffer.from('one') });
      assert.ok(created.ok);
      const replaced = await store.commit('a/x', { expectRevision: created.revision, value: Buffer.from('two') });
      assert.ok(replaced.ok);
      assert.equal((await store.get('a/x'))?.value.toString(), 'two');
      assert.deepEqual(await nextChanges(stream, 2), await nextChanges(store.watch('a/', 1), 2));
      assert.ok((await store.currentRevision()) >= replaced.revision);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0]!, /a header holds what gRPC does not send/);
    } finally {
      await store.close();
      await proxy.stop();
      await server.stop();
    }
  });
});
