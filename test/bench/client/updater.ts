import { jsonBody } from './create-operation.ts';
import { expectStatus } from './expect-status.ts';
import type { HttpConnection } from './http-connection.ts';

/** Objects that are changed while they are watched. */
export interface WatchedObjects {
  readonly path: string;
  /** Each is changed by one writer; no fewer than there are writers. */
  readonly count: number;
  name(index: number): string;
  /** The object to create; `update` 0. */
  json(index: number, update: number): string;
  /** How an update is sent: the whole object, or a patch. */
  readonly update: {
    readonly method: 'PUT' | 'PATCH';
    readonly headers: string;
    body(index: number, update: number): string;
  };
}

/** Writers that change watched objects, each its own, one request at a time. */
export class Updater {
  private readonly writers: readonly HttpConnection[];
  private readonly objects: WatchedObjects;
  private readonly free: number[];
  private freed: (() => void) | undefined;
  private count: number;

  private constructor(writers: readonly HttpConnection[], objects: WatchedObjects) {
    this.writers = writers;
    this.objects = objects;
    this.free = writers.map((_, index) => index);
    // Other values than a run before left: an update that changes nothing makes no event.
    this.count = Date.now() % 1e9;
  }

  /** Makes the objects, unless they exist. */
  static async create(writers: readonly HttpConnection[], objects: WatchedObjects): Promise<Updater> {
    const { path, count } = objects;
    await Promise.all(
      writers.map(async (writer, first) => {
        for (let index = first; index < count; index += writers.length) {
          const answer = await writer.request('POST', path, jsonBody, objects.json(index, 0));
          if (answer.status !== 409) expectStatus(answer, 201, `create in ${path}`);
        }
      }),
    );
    return new Updater(writers, objects);
  }

  /**
   * Resolves when an update has been sent, not yet answered; waits for a writer without a request on its way. One
   * caller at a time. `onSend` is called with the object that is about to change.
   */
  async send(
    onSend: (index: number) => void,
    onFailure: (error: Error) => void,
    onAnswer: (tookMs: number) => void = () => undefined,
  ): Promise<void> {
    while (this.free.length === 0) await new Promise<void>((resolve) => (this.freed = resolve));
    const writer = this.free.shift()!;
    const index = this.nextOf(writer, ++this.count);
    onSend(index);
    const sentAt = performance.now();
    this.put(writer, index, this.count)
      .then(() => onAnswer(performance.now() - sentAt))
      .catch(onFailure)
      .finally(() => {
        this.free.push(writer);
        this.freed?.();
      });
  }

  /** Resolves when every update has been answered. */
  async idle(): Promise<void> {
    while (this.free.length < this.writers.length) await new Promise<void>((resolve) => (this.freed = resolve));
  }

  /** Each writer goes round its own objects. */
  private nextOf(writer: number, turn: number): number {
    const writers = this.writers.length;
    const own = Math.floor(this.objects.count / writers);
    return writer + (turn % own) * writers;
  }

  private async put(writer: number, index: number, count: number): Promise<void> {
    const { path, update } = this.objects;
    const answer = await this.writers[writer]!.request(
      update.method,
      `${path}/${this.objects.name(index)}`,
      update.headers,
      update.body(index, count),
    );
    expectStatus(answer, 200, `update in ${path}`);
  }
}
