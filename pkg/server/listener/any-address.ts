import { createServer } from 'node:net';

/**
 * The host on which a server is reached by every address of the machine: `::`, which accepts IPv4 as well, or `0.0.0.0`
 * where there is no IPv6.
 */
export async function anyAddress(canListen: (host: string) => Promise<boolean> = listensAt): Promise<string> {
  return (await canListen('::')) ? '::' : '0.0.0.0';
}

/** Whether the machine has such addresses at all; opens a server on any free port, and closes it. */
function listensAt(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port: 0, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
