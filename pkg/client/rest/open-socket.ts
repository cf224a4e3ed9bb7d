import http from 'node:http';
import https from 'node:https';
import net, { isIP, type Socket } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { hostRoots } from '../../net/host-roots.ts';
import { openSocksTunnel, type TunnelTarget } from './socks-tunnel.ts';

/** A server and how connections to it are made. */
export interface Endpoint {
  readonly server: URL;
  /** PEM; absent: the authorities of the host. */
  readonly ca?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly serverName?: string;
  readonly certificate?: string;
  readonly key?: string;
  /**
   * `http:` or `https:`: connections are tunnels through it (CONNECT, RFC 9110 section 9.3.6); `socks5:`: as RFC 1928
   * has them.
   */
  readonly proxy?: URL;
}

/** How long a connection may take until requests can be sent. */
const CONNECT_TIMEOUT_MS = 30_000;
/** After so much silence the kernel probes whether the other side is there. */
export const KEEP_ALIVE_MS = 30_000;

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Settings of the TLS connection to the server. */
export function tlsOptions(endpoint: Endpoint): ConnectionOptions {
  const { ca, insecureSkipTlsVerify, serverName, certificate, key, server } = endpoint;
  const host = hostOf(server);
  return {
    ca: ca ?? hostRoots(),
    ...(certificate === undefined ? {} : { cert: certificate, key }),
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    // An address is never sent as a server name; the certificate must then name the address.
    ...(serverName === undefined && isIP(host) !== 0 ? {} : { servername: serverName ?? host }),
  };
}

/** Opens a connection on which the server can be spoken to in the protocol of that name; TLS where the URL says so. */
export async function openSocket(endpoint: Endpoint, protocol: 'http/1.1' | 'h2'): Promise<Socket> {
  const { server, proxy } = endpoint;
  const target = { host: hostOf(server), port: portOf(server) };
  const socket = proxy === undefined ? net.connect({ ...target, ...KEEP_ALIVE }) : await openTunnel(proxy, target);
  if (server.protocol !== 'https:') return proxy === undefined ? untilReady(socket, 'connect') : socket;
  const options = { ...tlsOptions(endpoint), host: target.host, socket, ALPNProtocols: [protocol] };
  const secure = tls.connect(options);
  socket.once('error', (error) => secure.destroy(error));
  await untilReady(secure, 'secureConnect');
  if (protocol === 'h2' && secure.alpnProtocol !== 'h2') {
    secure.destroy();
    throw new Error('the server does not offer HTTP/2');
  }
  return secure;
}

const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true } as const;

function untilReady<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(timedOut()), CONNECT_TIMEOUT_MS);
    const closed = (): void => failed(new Error('the connection was closed'));
    const failed = (error: Error): void => {
      clearTimeout(timer);
      socket.off('close', closed);
      socket.destroy();
      reject(error);
    };
    socket.once('error', failed);
    socket.once('close', closed);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', failed);
      socket.off('close', closed);
      resolve(socket);
    });
  });
}

function timedOut(): NodeJS.ErrnoException {
  return Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' });
}

async function openTunnel(proxy: URL, target: TunnelTarget): Promise<Socket> {
  if (proxy.protocol !== 'socks5:') return openHttpTunnel(proxy, target);
  const socket = await openSocksTunnel(proxy, target, CONNECT_TIMEOUT_MS);
  return socket.setKeepAlive(true, KEEP_ALIVE_MS);
}

function openHttpTunnel(proxy: URL, { host, port }: TunnelTarget): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    host: authority,
    ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      ...(proxy.protocol === 'https:' ? { ca: hostRoots() } : {}),
      timeout: CONNECT_TIMEOUT_MS,
    });
    request.once('timeout', () => request.destroy(timedOut()));
    request.once('error', reject);
    request.once('connect', ({ statusCode }, socket: Socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return resolve(socket.setKeepAlive(true, KEEP_ALIVE_MS));
      socket.destroy();
      reject(new Error(`the proxy answered ${statusCode ?? 0}`));
    });
    request.once('response', (answer) => {
      answer.destroy();
      reject(new Error(`the proxy answered ${answer.statusCode ?? 0}`));
    });
    request.end();
  });
}
