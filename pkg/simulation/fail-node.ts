import { nodes } from '../api/core/tokens.ts';
import { readClientConfig } from '../client/cluster-config.ts';
import type { Client } from '../client/rest/client.ts';
import { RestClient } from '../client/rest/rest-client.ts';
import { behaviorOf, FAILED } from './simulated-node.ts';

/** Lets a simulated node fail, or brings it back. Throws where there is no such node, or it is a real one. */
export async function setNodeFailed(client: Client, name: string, failed: boolean): Promise<void> {
  const node = await client.get(nodes, { name });
  if (behaviorOf(node) === undefined) throw new Error(`node ${name} is not simulated`);
  const annotations = { [FAILED]: failed ? 'true' : null };
  await client.patch(nodes, { name }, 'merge', { metadata: { uid: node.metadata.uid, annotations } });
}

/** The same by the current context of a cluster-config file. */
export async function setNodeFailedBy(file: string, name: string, failed: boolean): Promise<void> {
  const client = new RestClient(readClientConfig(file));
  try {
    await setNodeFailed(client, name, failed);
  } finally {
    client.close();
  }
}
