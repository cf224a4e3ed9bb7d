import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiClient } from '../../fixtures/api-client.ts';

/** One request and what must come back. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  /** Empty: no body. */
  readonly contentType: string;
  readonly bodyFile: string;
  readonly status: number;
  /** The answer is at least this long. */
  readonly bytesMin: number;
}

/**
 * Bytes of data in objects that are read and written: below and above what a TLS record, a buffer of the runtime and
 * one of the system hold.
 */
const sizes = [0, 8000, 16_384, 17_000, 60_000, 1_000_000];
const configMaps = '/api/v1/namespaces/default/configmaps';
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const protobuf = 'application/vnd.kubernetes.protobuf';

const configMap = (name: string, bytes: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { v: 'x'.repeat(bytes) },
});

/** Makes the objects that the steps of `connection` read and change, and one to read of each size. */
export async function prepare(client: ApiClient, connections: number): Promise<void> {
  for (const bytes of sizes) await client.post(configMaps, configMap(`read-${bytes}`, bytes));
  for (let i = 0; i < connections; i++) await client.post(configMaps, configMap(`written-${i}`, 0));
}

/**
 * Every pair of a size that is read and one that is sent behind it, among answers of other kinds; the bodies are put
 * into `dir`.
 */
export function writePlan(dir: string, connection: number): readonly Step[] {
  mkdirSync(dir, { recursive: true });
  const written = `${configMaps}/written-${connection}`;
  const bodyFile = (name: string, text: string): string => {
    const file = path.join(dir, name);
    writeFileSync(file, text);
    return file;
  };
  const get = (target: string, bytesMin: number, accept = 'application/json', status = 200): Step => ({
    method: 'GET',
    path: target,
    accept,
    contentType: '',
    bodyFile: '',
    status,
    bytesMin,
  });
  const put = (bytes: number): Step => ({
    method: 'PUT',
    path: written,
    accept: 'application/json',
    contentType: 'application/json',
    bodyFile: bodyFile(`put-${bytes}`, JSON.stringify(configMap(`written-${connection}`, bytes))),
    status: 200,
    bytesMin: bytes,
  });
  const patch = (): Step => ({
    method: 'PATCH',
    path: written,
    accept: 'application/json',
    contentType: 'application/merge-patch+json',
    bodyFile: bodyFile('patch', '{"metadata":{"labels":{"a":"b"}}}'),
    status: 200,
    bytesMin: 100,
  });
  const others: readonly Step[] = [
    get(`${configMaps}?limit=500`, 1_000_000),
    get(configMaps, 1000, table),
    get(`${configMaps}/read-60000`, 60_000, protobuf),
    get('/openapi/v2', 500_000),
    get(`${configMaps}/none`, 100, 'application/json', 404),
    get('/healthz', 2),
    get('/api/v1', 5000),
    get('/nowhere', 10, 'application/json', 404),
  ];
  return sizes.flatMap((read, i) =>
    sizes.flatMap((sent, j) => [
      get(`${configMaps}/read-${read}`, read),
      patch(),
      get(`${configMaps}/read-${read}`, read),
      put(sent),
      others[(i + j) % others.length]!,
      patch(),
    ]),
  );
}
