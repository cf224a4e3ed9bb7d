import { setTimeout as sleep } from 'node:timers/promises';
import { namespaces } from '../../../pkg/api/core/tokens.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';

const PAUSE_MS = 50;

/** How long gets of one object take, some twenty a second, until `stop`. */
export class GetTimes {
  private readonly times: number[] = [];
  private readonly running: Promise<void>;
  private stopped = false;

  constructor(client: Client) {
    this.running = this.run(client);
  }

  static async p99Within(client: Client, ms: number): Promise<number> {
    const gets = new GetTimes(client);
    await sleep(ms);
    return gets.stop();
  }

  /** The 99th percentile, in milliseconds. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.running;
    const sorted = this.times.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  }

  private async run(client: Client): Promise<void> {
    while (!this.stopped) {
      const startMs = performance.now();
      await client.get(namespaces, { name: 'default' });
      this.times.push(performance.now() - startMs);
      await sleep(PAUSE_MS);
    }
  }
}
