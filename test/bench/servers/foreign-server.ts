import type { Endpoint } from '../client/http-connection.ts';
import { untilReady } from './ready-check.ts';
import type { RunningServer, ServerUnderTest } from './server-under-test.ts';

/** A server that someone else runs: measured as it is. */
export class ForeignServer implements ServerUnderTest {
  readonly name: string;
  readonly canRestart = false;
  private readonly endpoint: Endpoint;
  private readonly pid: number | undefined;

  constructor(endpoint: Endpoint, pid: number | undefined) {
    this.name = endpoint.url;
    this.endpoint = endpoint;
    this.pid = pid;
  }

  async start(): Promise<RunningServer> {
    await untilReady(this.endpoint);
    return { endpoint: this.endpoint, pid: this.pid, readySeconds: undefined, stop: () => Promise.resolve() };
  }

  startEmpty(): Promise<RunningServer> {
    return Promise.reject(new Error('a server that we did not start cannot be started'));
  }

  startCluster(): Promise<RunningServer> {
    return this.start();
  }

  release(): Promise<void> {
    return Promise.resolve();
  }
}
