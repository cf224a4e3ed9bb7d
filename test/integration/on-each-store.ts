import assert from 'node:assert/strict';
import type { ApiClient } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** The server that a suite runs against. */
export interface StoreSuite {
  readonly client: ApiClient;
  readonly server: TestServer;
  /** URL of the etcd, when the suite runs on one. */
  readonly etcd: string | undefined;
  /** A namespace of the test's own. */
  namespace(): Promise<string>;
}

/** Defines the suite once per store, each with one server of its own. The server must end without unexpected errors. */
export function onEachStore(title: string, args: readonly string[], define: (suite: StoreSuite) => void): void {
  for (const store of ['embedded', 'etcd'] as const) {
    describe(`${title} (${store})`, () => {
      let etcd: EtcdServer | undefined;
      let server: TestServer | undefined;
      let namespaces = 0;

      before(async () => {
        etcd = store === 'etcd' ? await EtcdServer.start() : undefined;
        server = await startTestServer({ args, ...(etcd === undefined ? {} : { etcd: etcd.url }) });
      });

      after(async () => {
        await server?.stop();
        await etcd?.stop();
        assert.deepEqual(server?.errors, []);
      });

      define({
        get server() {
          return server!;
        },
        get client() {
          return server!.client;
        },
        get etcd() {
          return etcd?.url;
        },
        async namespace() {
          const name = `ns-${++namespaces}`;
          assert.equal((await server!.client.post('/api/v1/namespaces', { metadata: { name } })).status, 201);
          return name;
        },
      });
    });
  }
}

/** Body of a ConfigMap. */
export function configMap(
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

/** Creates ConfigMaps named `name-000` and so on; gives their collection's path. */
export async function createConfigMaps(
  suite: Pick<StoreSuite, 'client'>,
  namespace: string,
  name: string,
  count: number,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const answer = await suite.client.post(
        path,
        configMap(`${name}-${String(i).padStart(3, '0')}`, { i: String(i) }, { parity: i % 2 === 0 ? 'even' : 'odd' }),
      );
      assert.equal(answer.status, 201);
    }),
  );
  return path;
}

export function namesOf(list: any): string[] {
  return list.items.map((item: any) => item.metadata.name);
}

/** Asserts the Status of a failure and gives it back. */
export function assertFailure(
  answer: { status: number; json: any },
  code: number,
  reason: string | undefined,
  message?: RegExp,
): any {
  const status = answer.json;
  assert.equal(answer.status, code, JSON.stringify(status));
  assert.equal(status.kind, 'Status');
  assert.equal(status.status, 'Failure');
  assert.equal(status.code, code);
  assert.equal(status.reason, reason);
  if (message !== undefined) assert.match(status.message, message);
  return status;
}

/** A copy of an object without some of its fields. */
export function without(object: object, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
