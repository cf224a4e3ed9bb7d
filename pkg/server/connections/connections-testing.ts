import type { StoreAccess } from '../../registry/store-access.ts';
import { Connections, type ConnectionsOptions } from './connections.ts';

/** For tests: connections of a server without nodes, through the network of this machine. */
export function testConnections(more: Partial<ConnectionsOptions> = {}): Connections {
  const stores: StoreAccess = (name) => {
    throw new Error(`there is no store of ${name}`);
  };
  return new Connections({
    stores,
    agents: { https: true, addressTypes: [], port: 0, dialTimeoutMs: 0, tls: () => ({}) },
    ...more,
  });
}
