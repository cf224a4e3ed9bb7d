/**
 * Servers behind a load balancer that are restarted one after the other under load: no request fails, and no watch
 * misses an event.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../fixtures/api-client.ts';
import { startLoadBalancer, type LoadBalancer } from '../fixtures/haproxy.ts';
import { Http2ApiClient } from '../fixtures/http2-api-client.ts';
import { startThreeProcesses, type ThreeProcesses } from '../fixtures/three-processes.ts';

const token = 'rolling-restart';
const configMaps = '/api/v1/namespaces/default/configmaps';
const LOADS = 3;

interface Caller {
  /** Rejects where the connection breaks. */
  send(method: string, path: string, body?: unknown): Promise<number>;
  /** Resolves at the end of the stream. */
  watch(path: string, onLine: (line: string) => void): Promise<number>;
  close(): void;
}

function overHttp1(url: string): Caller {
  const client = new ApiClient(url, token);
  return {
    send: async (method, target, body) =>
      (await client.send(method, target, body === undefined ? {} : { body })).status,
    watch: async (target, onLine) => {
      const stream = client.watch(target);
      await stream.untilEnd(600_000);
      for (const event of stream.events) onLine(JSON.stringify(event));
      return stream.status;
    },
    close: () => client.close(),
  };
}

function overHttp2(url: string): Caller {
  const client = new Http2ApiClient(url, token);
  return {
    send: async (method, target, body) => (await onceMoreIfRefused(() => client.send(method, target, body))).status,
    watch: async (target, onLine) => {
      const { status, text } = await client.send('GET', target);
      for (const line of text.split('\n')) if (line !== '') onLine(line);
      return status;
    },
    close: () => client.close(),
  };
}

/**
 * A stream that begins in the moment in which its connection is announced to end may be refused, by the client's own
 * end as well. Nothing was done for it then (RFC 9113, 8.7), and clients begin it again on another connection, as Go's
 * do.
 */
async function onceMoreIfRefused<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error as Error).message.includes('NGHTTP2_REFUSED_STREAM')) throw error;
    return send();
  }
}

/** Writes and reads without a pause; says what failed, and what it has made. */
class Load {
  readonly failures: string[] = [];
  readonly made: string[] = [];
  requests = 0;
  private readonly name: string;
  private readonly caller: Caller;
  private running = true;
  private readonly done: Promise<void>;

  constructor(name: string, caller: Caller) {
    this.name = name;
    this.caller = caller;
    this.done = this.run();
  }

  private async run(): Promise<void> {
    for (let i = 0; this.running; i++) {
      const name = `${this.name}-${i}`;
      const body = { metadata: { name, labels: { load: this.name } }, data: { v: 'x'.repeat((i % 20) * 1000) } };
      if ((await this.ask('POST', configMaps, body)) === 201) this.made.push(name);
      await this.ask('GET', `${configMaps}/${name}`);
      await this.ask('PUT', `${configMaps}/${name}`, body);
      await this.ask('GET', `${configMaps}?limit=50`);
    }
  }

  private async ask(method: string, target: string, body?: unknown): Promise<number | undefined> {
    this.requests++;
    const status = await this.caller
      .send(method, target, body)
      .catch((error: Error & { code?: string }) => `${error.code ?? ''} ${error.message}`);
    if (typeof status === 'number' && status < 300) return status;
    this.failures.push(`${method} ${target}: ${status}`);
    return undefined;
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
    this.caller.close();
  }
}

/** Watches one load's objects as a reflector does, on and on from the last version it has seen. */
class Watcher {
  readonly seen: string[] = [];
  readonly failures: string[] = [];
  streams = 0;
  private readonly caller: Caller;
  private readonly path: string;
  private version: string;
  private running = true;
  private readonly done: Promise<void>;

  constructor(caller: Caller, load: string, version: string) {
    this.caller = caller;
    this.path = `${configMaps}?watch=1&labelSelector=load%3D${load}`;
    this.version = version;
    this.done = this.run();
  }

  private async run(): Promise<void> {
    while (this.running) {
      this.streams++;
      const status = await this.caller
        .watch(`${this.path}&resourceVersion=${this.version}&timeoutSeconds=${this.running ? 20 : 1}`, (line) =>
          this.take(line),
        )
        .catch((error: Error) => error.message);
      if (status !== 200) this.failures.push(`watch: ${status}`);
    }
  }

  private take(line: string): void {
    const { type, object } = JSON.parse(line);
    if (type === 'ADDED') this.seen.push(object.metadata.name);
    if (type === 'ERROR') this.failures.push(line);
    else this.version = object.metadata.resourceVersion;
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
    this.caller.close();
  }
}

describe('a rolling restart behind a load balancer', function () {
  this.timeout(240_000);
  let dir: string;
  let cluster: ThreeProcesses;
  let balancer: LoadBalancer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-rolling-'));
    const tokens = path.join(dir, 'tokens.csv');
    writeFileSync(tokens, `${token},roller,1,"system:masters"\n`);
    cluster = await startThreeProcesses([`--token-auth-file=${tokens}`, '--shutdown-delay-duration=2s']);
    balancer = await startLoadBalancer(cluster.servers.map(({ url }) => url));
  });
  after(async () => {
    await balancer?.stop();
    await cluster?.stop();
    if (dir !== undefined) rmSync(dir, { recursive: true });
  });

  it('fails no request and loses no event, over HTTP/1.1 and HTTP/2', async () => {
    // The balancer needs to find all of them first.
    await sleep(1500);
    const version = (await cluster.clients[0]!.get(`${configMaps}?limit=1`)).json.metadata.resourceVersion;
    const callers = { http1: overHttp1, http2: overHttp2 };
    const names = Object.keys(callers).flatMap((protocol) =>
      Array.from({ length: LOADS }, (_, i) => `${protocol}-${i}`),
    );
    const caller = (name: string): Caller => callers[name.slice(0, 5) as 'http1' | 'http2'](balancer.url);
    const watchers = names.map((name) => new Watcher(caller(name), name, version));
    const loads = names.map((name) => new Load(name, caller(name)));
    try {
      for (const server of cluster.servers) {
        const before = loads.map(({ requests }) => requests);
        await server.restart();
        // Until the balancer has found it again, all loads have gone on.
        await sleep(1500);
        while (loads.some(({ requests }, i) => requests < before[i]! + 20)) await sleep(50);
      }
    } finally {
      await Promise.all(loads.map((load) => load.stop()));
    }
    await sleep(1000);
    await Promise.all(watchers.map((watcher) => watcher.stop()));
    assert.deepEqual(
      loads.flatMap(({ failures }) => failures),
      [],
    );
    assert.deepEqual(
      watchers.flatMap(({ failures }) => failures),
      [],
    );
    for (const [i, load] of loads.entries()) assert.deepEqual(watchers[i]!.seen, load.made);
  });
});
