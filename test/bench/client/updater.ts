import { configMapJson } from '../workload/config-map.ts';
import { configMapsPath } from '../workload/names.ts';
import { jsonBody } from './create-operation.ts';
import { expectStatus } from './expect-status.ts';
import type { HttpConnection } from './http-connection.ts';

/** Writers that change watched objects, each its own, one request at a time. */
export class Updater {
  private readonly writers: readonly HttpConnection[];
  private readonly free: number[];
  private freed: (() => void) | undefined;
  private count: number;

  private constructor(writers: readonly HttpConnection[]) {
    this.writers = writers;
    this.free = writers.map((_, index) => index);
    // Other values than a run before left: an update that changes nothing makes no event.
    this.count = Date.now() % 1e9;
  }

  /** Makes the objects, unless they exist. */
  static async create(writers: readonly HttpConnection[]): Promise<Updater> {
    await Promise.all(
      writers.map(async (writer, index) => {
        const answer = await writer.request('POST', configMapsPath(), jsonBody, configMapJson(objectName(index), 0));
        if (answer.status !== 409) expectStatus(answer, 201, 'create a config map');
      }),
    );
    return new Updater(writers);
  }

  /**
   * Resolves when an update has been sent, not yet answered; waits for a writer without a request on its way. One
   * caller at a time.
   */
  async send(onSend: () => void, onFailure: (error: Error) => void): Promise<void> {
    while (this.free.length === 0) await new Promise<void>((resolve) => (this.freed = resolve));
    const index = this.free.shift()!;
    const body = configMapJson(objectName(index), ++this.count);
    onSend();
    this.put(index, body)
      .catch(onFailure)
      .finally(() => {
        this.free.push(index);
        this.freed?.();
      });
  }

  private async put(index: number, body: string): Promise<void> {
    expectStatus(
      await this.writers[index]!.request('PUT', `${configMapsPath()}/${objectName(index)}`, jsonBody, body),
      200,
      'update a config map',
    );
  }
}

function objectName(index: number): string {
  return `watched-${index}`;
}
