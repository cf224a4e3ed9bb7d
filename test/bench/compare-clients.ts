/**
 * Gets of one small object by this project's client and by `@kubernetes/client-node`, one after the other against one
 * server: calls per second, and CPU of this process per call. Run with `node --import tsx`, after `make build`.
 */
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { configMaps } from '../../pkg/api/core/tokens.ts';
import { readClientConfig } from '../../pkg/client/cluster-config.ts';
import { RestClient, type RestClientOptions } from '../../pkg/client/rest/rest-client.ts';
import { startBinnacle } from '../fixtures/binnacle-process.ts';

const CALLS = Number(process.env['CALLS'] ?? 5000);
const AT_ONCE = 16;
const NAME = { namespace: 'default', name: 'compared' };

const server = await startBinnacle();
const config = readClientConfig(server.kubeconfig);
const maker = new RestClient(config);
await maker.create(configMaps, { metadata: NAME, data: { key: 'x'.repeat(500) } });
maker.close();

async function measure(name: string, get: () => Promise<unknown>): Promise<void> {
  await inTurns(CALLS / 5, get);
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  await inTurns(CALLS, get);
  const seconds = (performance.now() - beganMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const line = `${name.padEnd(22)} ${Math.round(CALLS / seconds)} gets/s  ${Math.round((user + system) / CALLS)} µs CPU a call\n`;
  process.stdout.write(line);
}

async function inTurns(calls: number, get: () => Promise<unknown>): Promise<void> {
  let left = calls;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await get();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

for (const options of [
  { protocol: 'http/1.1', encoding: 'json' },
  { protocol: 'http/1.1', encoding: 'protobuf' },
  { protocol: 'h2', encoding: 'json' },
  { protocol: 'h2', encoding: 'protobuf' },
] as const satisfies readonly RestClientOptions[]) {
  const client = new RestClient(config, options);
  await measure(`${options.protocol} ${options.encoding}`, () => client.get(configMaps, NAME));
  client.close();
}
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(server.kubeconfig);
const api = kubeConfig.makeApiClient(CoreV1Api);
await measure('client-node', () => api.readNamespacedConfigMap(NAME));
await server.stop();
process.exit();
