import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Contents of TLS files, PEM. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * A socket that connects to a member, over TLS for `https:`. Calls `onOpen` when HTTP/2 was negotiated, `onRefused`
 * when the member does not support it.
 */
export function dialMember(
  url: URL,
  tls: TlsMaterial,
  onOpen: () => void,
  onRefused: (reason: string) => void,
): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  if (!isSecure) return connectTcp(port, host, onOpen);
  const socket = connectTls(
    { host, port, ...(isIP(host) === 0 && { servername: host }), ...tls, ALPNProtocols: ['h2'] },
    () => {
      if (socket.alpnProtocol === 'h2') onOpen();
      else onRefused('the server does not speak HTTP/2');
    },
  );
  return socket;
}
