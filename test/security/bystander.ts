import assert from 'node:assert/strict';
import type { TestServer } from '../fixtures/test-server.ts';

/** Time within which an answer to another client is due, milliseconds: generous, since tests share their machine. */
const ANSWER_MS_MAX = 5000;

let count = 0;

/**
 * Another client at work on the same server while something hostile goes on: it writes, reads its write back, lists and
 * watches. Every answer has to be right, in order and within the bound.
 */
export class Bystander {
  private readonly server: TestServer;
  private readonly name = `bystander-${++count}`;
  private rounds = 0;
  private slowestMs = 0;

  constructor(server: TestServer) {
    this.server = server;
  }

  get path(): string {
    return `/api/v1/namespaces/default/configmaps/${this.name}`;
  }

  async round(): Promise<void> {
    const { client } = this.server;
    const n = String(++this.rounds);
    const startMs = performance.now();
    const written =
      this.rounds === 1
        ? await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: this.name }, data: { n } })
        : await client.patch(this.path, 'merge', { data: { n } });
    assert.equal(written.status, this.rounds === 1 ? 201 : 200, written.body.toString());
    const read = await client.get(this.path);
    assert.equal(read.status, 200);
    assert.deepEqual(read.json.data, { n });
    const list = await client.get(`/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3D${this.name}`);
    assert.deepEqual(
      list.json.items.map((item: { data: object }) => item.data),
      [{ n }],
    );
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
  }

  /** Rounds until `attack` has ended, and one more. The watch has to have seen each of them, in order. */
  async during<T>(attack: () => Promise<T>): Promise<T> {
    await this.round();
    const watch = this.server.client.watch(
      `/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3D${this.name}`,
    );
    try {
      await watch.until((events) => events.length === 1, ANSWER_MS_MAX);
      const attacked = attack().finally(() => {
        over = true;
      });
      let over = false;
      attacked.catch(() => undefined);
      while (!over) {
        await this.round();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await this.round();
      const events = await watch.until((seen) => seen.at(-1)?.object.data.n === String(this.rounds), ANSWER_MS_MAX);
      assert.deepEqual(
        events.map((e) => e.object.data.n),
        Array.from({ length: this.rounds }, (_, i) => String(i + 1)),
      );
      assert.ok(this.slowestMs < ANSWER_MS_MAX, `the slowest round of somebody else took ${this.slowestMs} ms`);
      if (process.env['BYSTANDER_TRACE'] !== undefined)
        console.log(`      bystander: ${this.rounds} rounds, slowest ${Math.round(this.slowestMs)} ms`);
      return await attacked;
    } finally {
      watch.close();
      await this.server.client.delete(this.path);
    }
  }
}

/** Runs an attack beside a bystander; afterwards nothing unexpected has been reported. */
export async function whileServing<T>(server: TestServer, attack: () => Promise<T>): Promise<T> {
  const result = await new Bystander(server).during(attack);
  assert.deepEqual(server.errors, []);
  return result;
}
