import { agentNetwork } from '../../test/fixtures/node-agent/agent-network.ts';
import { startTestServer as startWholeServer, type TestServerSettings } from '../../test/fixtures/test-server.ts';
import { openServiceAllocators, type ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import type { Store } from '../storage/store.ts';
import type { ApiServer } from './api-server.ts';

/** For tests of the server's parts: a whole API server on an embedded store, opened up. */

export interface TestAnswer {
  readonly status: number;
  readonly type: string;
  /** The `Warning` headers. */
  readonly warning: string | undefined;
  // `any`: tests look into bodies of every kind.
  readonly body: any;
}

export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  /** On the server's store. */
  readonly allocators: ServiceAllocators;
  readonly port: number;
  /** The administrator's. */
  readonly token: string;
  /** What went wrong inside. */
  readonly errors: readonly string[];
  /** A request with a JSON body; patches name their content type. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** Tests that repair do it themselves. */
const NEVER_MS = 24 * 3600 * 1000;

/** `args`: more flags, as on the command line. */
export async function startTestServer(
  args: readonly string[] = [],
  { controllers }: Pick<TestServerSettings, 'controllers'> = {},
): Promise<TestServer> {
  const { running, client, errors, stop } = await startWholeServer({
    network: agentNetwork(),
    repairIntervalMs: NEVER_MS,
    args: ['--advertise-address=192.0.2.1', ...args],
    ...(controllers === undefined ? {} : { controllers }),
  });
  const { server, url, token } = running;
  return {
    server,
    store: server.store,
    port: Number(new URL(url).port),
    token,
    errors,
    stop,
    allocators: openServiceAllocators(server.store, server.stores.access, {
      clusterIps: ['10.0.0.0/24'],
      nodePorts: { low: 30_000, high: 32_767 },
    }),
    async send(method, path, body, headers = {}) {
      const answer = await client.send(method, path, {
        body: body === undefined ? undefined : JSON.stringify(body),
        headers,
      });
      const type = answer.headers['content-type'] ?? '';
      const text = answer.body.toString();
      return {
        status: answer.status,
        type,
        warning: answer.headers['warning'] as string | undefined,
        body: type.includes('json') && text !== '' ? JSON.parse(text) : text,
      };
    },
  };
}
