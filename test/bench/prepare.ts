import { jsonBody } from './client/create-operation.ts';
import { expectStatus } from './client/expect-status.ts';
import { HttpConnection, type Endpoint } from './client/http-connection.ts';
import { configMapsPath, namespaces, podsPath } from './workload/names.ts';

/**
 * Makes the workload's namespaces, with the service account that pods name, and empties them of what an interrupted run
 * left.
 */
export async function prepareNamespaces(endpoint: Endpoint): Promise<void> {
  await withConnection(endpoint, async (connection) => {
    for (const name of Object.values(namespaces)) {
      const created = await connection.request(
        'POST',
        '/api/v1/namespaces',
        jsonBody,
        JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      );
      if (created.status !== 409) expectStatus(created, 201, `create namespace ${name}`);
      // Where a controller makes service accounts it may be first; where accounts are not checked there may be no such
      // resource.
      const account = JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
      await connection.request('POST', `/api/v1/namespaces/${name}/serviceaccounts`, jsonBody, account);
    }
  });
  await clearWorkload(endpoint);
}

/**
 * Deletes all objects of the workload. The namespaces stay: a server without its controllers would never finish
 * deleting them.
 */
export async function clearWorkload(endpoint: Endpoint): Promise<void> {
  await withConnection(endpoint, async (connection) => {
    for (const namespace of [namespaces.pods, namespaces.warmUp, namespaces.more, namespaces.nodes])
      await deleteCollection(connection, podsPath(namespace));
    await deleteCollection(connection, configMapsPath());
  });
}

export async function clearPods(endpoint: Endpoint, namespace: string): Promise<void> {
  await withConnection(endpoint, (connection) => deleteCollection(connection, podsPath(namespace)));
}

async function deleteCollection(connection: HttpConnection, path: string): Promise<void> {
  expectStatus(await connection.request('DELETE', `${path}?gracePeriodSeconds=0`), 200, `delete ${path}`);
}

async function withConnection(endpoint: Endpoint, work: (connection: HttpConnection) => Promise<void>): Promise<void> {
  const connection = await HttpConnection.open(endpoint);
  try {
    await work(connection);
  } finally {
    connection.close();
  }
}
