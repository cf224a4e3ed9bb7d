import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { allResources } from '../api/all-resources.ts';
import type { OptionValues } from '../options/option.ts';
import { ApiServer, type ApiServerOptions } from '../server/api-server.ts';
import { adminToken } from '../server/filters/authenticate.ts';
import { loadOrCreateCertificate, type ServingCertificate } from '../server/tls/self-signed.ts';
import { openStore } from '../storage/open-store.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';
import { writeKubeconfig } from './kubeconfig.ts';

/** A started API server with what a person needs to reach it. */
export interface RunningApiServer {
  readonly server: ApiServer;
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface RunSettings {
  readonly options: OptionValues;
  /** Directory for certificates, token and kubeconfig. */
  readonly dir: string;
  /** Module that worker threads run. */
  readonly workerFile: string;
  readonly logger: Logger;
  /** Also told of unexpected errors; for tests. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** Opens the store, makes what is missing (certificate, token), starts the server and writes the kubeconfig. */
export async function runApiServer(settings: RunSettings): Promise<RunningApiServer> {
  const { options, dir, logger } = settings;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const host = options.string('bind-address');
  const metrics = new ServerMetrics({ resources: allResources, storeCountPollMs: options.durationMs('store-count-metric-poll-period') });
  const [tls, store, tracing] = await Promise.all([certificate(options, dir, host), openTheStore(options, dir, metrics), traceWhenAsked(options, logger)]);
  const token = adminTokenOf(options, dir);
  logger.redact(token);
  const advertise = options.string('advertise-address') || reachableAddress(host);
  let port = options.int('secure-port');
  const server = new ApiServer({
    ...serverOptions(options),
    store, host, port, tls, metrics, logger,
    authenticator: adminToken(token),
    workerFile: settings.workerFile,
    advertise: () => `${advertise}:${port}`,
    onError: (error, where) => {
      logger.error('unexpected error', { where, error });
      settings.onError?.(error, where);
    },
  });
  metrics.attach(server);
  port = await server.start();
  const controlPlane = await startControlPlane(server, { options, advertise, port });
  const url = `https://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  const kubeconfig = path.join(dir, 'kubeconfig');
  writeKubeconfig(kubeconfig, { server: url, ca: tls.ca, token });
  const stop = async (): Promise<void> => {
    await controlPlane.stop();
    await server.stop();
    await store.close();
    metrics.close();
    await tracing?.stop();
  };
  return { server, url, token, kubeconfig, stop };
}

/** What options say of the server's insides. */
function serverOptions(options: OptionValues): Pick<
  ApiServerOptions,
  'resources' | 'admission' | 'hooks' | 'specialHandlers' | 'cacheBytes' | 'watchCacheSize' | 'eventTtlSeconds' | 'deleteCollectionWorkers' | 'minRequestTimeoutSeconds' | 'compressResponses'
> {
  return {
    resources: allResources,
    admission: admissionPlugins,
    hooks: (stores) => new Map([['services', serviceHooks(stores, allocationRanges(options))]]),
    specialHandlers,
    cacheBytes: options.int('target-ram-mb') * 1024 * 1024,
    watchCacheSize: options.int('default-watch-cache-size'),
    eventTtlSeconds: Math.ceil(options.durationMs('event-ttl') / 1000),
    deleteCollectionWorkers: options.int('delete-collection-workers'),
    minRequestTimeoutSeconds: options.int('min-request-timeout'),
    compressResponses: options.bool('compress-responses'),
  };
}

function traceWhenAsked(options: OptionValues, logger: Logger): Promise<Tracing> | undefined {
  const endpoint = options.string('tracing-otlp-endpoint');
  return endpoint === '' ? undefined : startTracing({ endpoint, serviceName: 'binnacle-apiserver', onWarning: (message) => logger.warn(message) });
}

async function openTheStore(options: OptionValues, dir: string, metrics: ServerMetrics): ReturnType<typeof openStore> {
  const embedded = options.string('storage-backend') === 'embedded';
  return openStore({
    backend: embedded ? 'embedded' : 'etcd3',
    servers: options.list('store-servers'),
    prefix: options.string('store-prefix'),
    certFiles: {
      ...(options.string('store-cafile') === '' ? {} : { caFile: options.string('store-cafile') }),
      ...(options.string('store-certfile') === '' ? {} : { certFile: options.string('store-certfile') }),
      ...(options.string('store-keyfile') === '' ? {} : { keyFile: options.string('store-keyfile') }),
    },
    dataDir: path.join(dir, 'store'),
    compactionIntervalMs: options.durationMs('store-compaction-interval'),
    observer: metrics.storeObserver,
  });
}

async function certificate(options: OptionValues, dir: string, host: string): Promise<ServingCertificate> {
  const certFile = options.string('tls-cert-file');
  const keyFile = options.string('tls-private-key-file');
  if (certFile !== '' && keyFile !== '') {
    const cert = readFileSync(certFile, 'utf8');
    return { cert, key: readFileSync(keyFile, 'utf8'), ca: cert };
  }
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1', host, reachableAddress(host)];
  return loadOrCreateCertificate(options.string('cert-dir') || path.join(dir, 'pki'), [...new Set(names.filter((n) => n !== '0.0.0.0' && n !== '::'))]);
}

/** The administrator's token: from the file given, or made once and kept for its owner's eyes alone. */
function adminTokenOf(options: OptionValues, dir: string): string {
  const file = options.string('token-file') || path.join(dir, 'admin-token');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const token = randomBytes(32).toString('base64url');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}

/** The bind address, or for a wildcard the host's first address that others can reach. */
function reachableAddress(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((a) => !a.internal && a.family === 'IPv4')?.address ?? '127.0.0.1';
}
