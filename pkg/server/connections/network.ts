import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';

/** The network of this machine; tests replace it. */
export interface Network {
  /** Addresses of a host name in the order in which they are to be tried. Rejects with the error of the resolver. */
  resolve(name: string): Promise<readonly string[]>;
  /** Begins to connect to an IP address. */
  connect(address: string, port: number): Socket;
}

export const hostNetwork: Network = {
  async resolve(name) {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  },
  connect: (address, port) =>
    connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }),
};
