import { once } from 'node:events';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { formatIp, parseIp } from '../../apimachinery/names/ip.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import { hostPort, type Backend } from './backend.ts';
import { connectError, DialError, handshakeError, resolveError } from './dial-error.ts';
import type { Network } from './network.ts';
import { isRoutable } from './routable-address.ts';

/** Addresses of one name that are tried. */
const ADDRESSES_MAX = 4;
/**
 * The least time for each of them, as far as there is time: an address without any answer must not keep the others from
 * being tried.
 */
const SHARE_MS_MIN = 2000;

/**
 * Connects to a backend; resolves with a socket for HTTP. A name is resolved once, its addresses are checked, and
 * exactly those addresses are dialled: later results of a resolver do not matter. Throws 400 for an address that must
 * not be reached, `DialError` for one that cannot.
 */
export async function dial(network: Network, backend: Backend): Promise<Socket> {
  const deadlineMs = performance.now() + backend.dialTimeoutMs;
  const addresses = (await addressesOf(network, backend)).slice(0, ADDRESSES_MAX);
  if (!(backend.port > 0 && backend.port < 65_536))
    throw new DialError(`dial tcp: address ${backend.port}: invalid port`);
  let failure: DialError | undefined;
  for (const [i, address] of addresses.entries()) {
    try {
      const socket = await connectTo(network, address, backend.port, shareOf(deadlineMs, addresses.length - i));
      return backend.scheme === 'https' ? await secure(socket, backend, deadlineMs) : socket;
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? new DialError(`dial tcp: lookup ${backend.host}: no such host`);
}

/** The deadline of the next of `left` addresses. */
function shareOf(deadlineMs: number, left: number): number {
  const now = performance.now();
  return Math.min(deadlineMs, now + Math.max((deadlineMs - now) / left, SHARE_MS_MIN));
}

/** Every address of the backend's host; one of them that must not be reached is enough to refuse it. */
async function addressesOf(network: Network, { host, isTrusted }: Backend): Promise<readonly string[]> {
  const literal = parseIp(host);
  const found = literal === undefined ? (await resolve(network, host)).map((text) => parseIp(text)) : [literal];
  if (!isTrusted && !found.every((address) => address !== undefined && isRoutable(address)))
    throw badRequest('address not allowed');
  return found.filter((address) => address !== undefined).map((address) => formatIp(address));
}

async function resolve(network: Network, host: string): Promise<readonly string[]> {
  try {
    return await network.resolve(host);
  } catch (error) {
    throw resolveError(host, error as Error);
  }
}

async function connectTo(network: Network, address: string, port: number, deadlineMs: number): Promise<Socket> {
  const target = hostPort({ host: address, port });
  const socket = network.connect(address, port);
  return opened(socket, 'connect', deadlineMs, `dial tcp ${target}: i/o timeout`, (error) =>
    connectError(target, error),
  );
}

async function secure(socket: Socket, { host, tls: material = {} }: Backend, deadlineMs: number): Promise<Socket> {
  const secured = tls.connect({
    socket,
    rejectUnauthorized: material.ca !== undefined,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(host, certificate),
    ...(parseIp(host) === undefined ? { servername: host } : {}),
    ...(material.ca === undefined ? {} : { ca: material.ca }),
    ...(material.certificate === undefined ? {} : { cert: material.certificate, key: material.key }),
  });
  return opened(secured, 'secureConnect', deadlineMs, 'net/http: TLS handshake timeout', handshakeError);
}

async function opened<T extends Socket>(
  socket: T,
  event: string,
  deadlineMs: number,
  late: string,
  failed: (error: Error) => DialError,
): Promise<T> {
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      socket.destroy(new Error(late));
    },
    Math.max(0, deadlineMs - performance.now()),
  );
  try {
    await once(socket, event);
    return socket;
  } catch (error) {
    socket.destroy();
    throw isLate ? new DialError(late) : failed(error as Error);
  } finally {
    clearTimeout(timer);
    // The user of the socket sees failures by its end; an error between two users must not end the process.
    socket.on('error', () => undefined);
  }
}
