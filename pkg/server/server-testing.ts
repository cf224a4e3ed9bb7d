import { mkdtempSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allResources } from '../api/all-resources.ts';
import { openEndpointReconciler } from '../controlplane/endpoints/open-endpoint-reconciler.ts';
import { startControlPlane } from '../controlplane/bootstrap.ts';
import { openFrontDoor } from '../controlplane/open-front-door.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { openServiceAllocators, type ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import { serviceHooks } from '../registry/allocators/service-hooks.ts';
import { EmbeddedStore } from '../storage/embedded/embedded-store.ts';
import { Logger } from '../telemetry/logger.ts';
import { ApiServer } from './api-server.ts';
import { specialHandlers } from './handlers/special-handlers.ts';
import { loadOrCreateCertificate } from './tls/self-signed.ts';

/** For tests: a whole API server on an embedded store in a directory of its own, and a client of it. */

export const TEST_TOKEN = 'test-token';

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
  readonly store: EmbeddedStore;
  readonly allocators: ServiceAllocators;
  readonly port: number;
  /** What went wrong inside. */
  readonly errors: unknown[];
  /** A request with a JSON body; patches name their content type. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'binnacle-server-'));
  const tls = await loadOrCreateCertificate(join(dir, 'pki'), ['127.0.0.1']);
  const store = new EmbeddedStore({ dataDir: join(dir, 'store') });
  const allocators = openServiceAllocators(store, { clusterIps: ['10.0.0.0/24'], nodePorts: { low: 30_000, high: 32_767 } });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const options = parseOptions(apiServerOptions, 'up', []);
  const server = new ApiServer({
    store, resources: allResources, host: '127.0.0.1', port: 0, tls, onError,
    logger: Logger.open({ verbosity: 0, destination: { write: () => undefined } }),
    metrics: { started: () => undefined, finished: () => undefined, text: async () => ({ contentType: 'text/plain', body: '' }) },
    workerFile: new URL('../workers/worker.ts', import.meta.url).pathname,
    frontDoor: (stores) => openFrontDoor({ options, adminToken: TEST_TOKEN, onError }, stores),
    hooks: (stores) => new Map([['services', serviceHooks({ stores, allocators, onError })]]),
    specialHandlers,
    cacheBytes: 64e6, watchCacheSize: 100, eventTtlSeconds: 3600, deleteCollectionWorkers: 1, minRequestTimeoutSeconds: 1800, compressResponses: false,
    advertise: () => '127.0.0.1:0',
  });
  const port = await server.start();
  const controlPlane = await startControlPlane({
    stores: (name) => server.storeOf(name), allocators, advertiseAddress: '192.0.2.1', securePort: port, serviceNodePort: 0, onError,
    endpoints: openEndpointReconciler((name) => server.storeOf(name), { type: 'lease', serverCount: 1, leaseSeconds: 60 }),
  });
  const agent = new https.Agent({ keepAlive: true });
  return {
    server, store, allocators, port, errors,
    send: (method, path, body, headers = {}) => send(agent, port, method, path, body, headers),
    async stop() {
      agent.destroy();
      await controlPlane.stop();
      await server.stop();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function send(agent: https.Agent, port: number, method: string, path: string, body: unknown, headers: Record<string, string>): Promise<TestAnswer> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const request = https.request({
      agent, port, method, path, host: '127.0.0.1', rejectUnauthorized: false,
      headers: { authorization: `Bearer ${TEST_TOKEN}`, ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }), ...headers },
    }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const type = response.headers['content-type'] ?? '';
        resolve({ status: response.statusCode ?? 0, type, warning: response.headers['warning'] as string | undefined, body: type.includes('json') && text !== '' ? JSON.parse(text) : text });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}
