import net, { isIP, type Socket } from 'node:net';

/** Where a tunnel leads. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const DOMAIN_NAME = 3;
const IPV6 = 4;

const REPLIES: readonly string[] = [
  'succeeded',
  'general failure',
  'connection not allowed',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];

/**
 * Opens a connection through a SOCKS5 proxy (RFC 1928, passwords by RFC 1929). The proxy looks up the name of the
 * target. Rejects where it refuses, or does not answer within `timeoutMs`.
 */
export async function openSocksTunnel(proxy: URL, target: TunnelTarget, timeoutMs: number): Promise<Socket> {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const socket = net.connect({ host, port: proxy.port === '' ? 1080 : Number(proxy.port), noDelay: true });
  const reader = new HandshakeReader(socket);
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' }));
  }, timeoutMs);
  try {
    await authenticate(socket, reader, proxy);
    socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target.host), portOf(target.port)]));
    await readReply(reader);
    return reader.release();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function authenticate(socket: Socket, reader: HandshakeReader, proxy: URL): Promise<void> {
  const username = Buffer.from(decodeURIComponent(proxy.username));
  const password = Buffer.from(decodeURIComponent(proxy.password));
  const method = username.length > 0 ? PASSWORD : NO_AUTHENTICATION;
  if (username.length > 255 || password.length > 255) throw new Error('the name or password for the proxy is too long');
  socket.write(Buffer.from([VERSION, 1, method]));
  const [version, chosen] = await reader.take(2);
  if (version !== VERSION) throw new Error('the proxy does not speak SOCKS5');
  if (chosen !== method) throw new Error('the proxy does not accept these credentials');
  if (method === NO_AUTHENTICATION) return;
  const lengths = [Buffer.from([1, username.length]), username, Buffer.from([password.length]), password];
  socket.write(Buffer.concat(lengths));
  if ((await reader.take(2))[1] !== 0) throw new Error('the proxy does not accept this name and password');
}

function addressOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (family === 6) return Buffer.from([IPV6, ...ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error('the host name is too long for SOCKS5');
  return Buffer.concat([Buffer.from([DOMAIN_NAME, name.length]), name]);
}

/** The URL class writes addresses in their canonical form, which has no embedded IPv4 address. */
function ipv6Bytes(host: string): number[] {
  const canonical = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function portOf(port: number): Buffer {
  return Buffer.from([port >> 8, port & 0xff]);
}

async function readReply(reader: HandshakeReader): Promise<void> {
  const [version, code = 0, , type] = await reader.take(4);
  if (version !== VERSION) throw new Error('the proxy does not speak SOCKS5');
  if (code !== 0) throw new Error(`the proxy answered: ${REPLIES[code] ?? `code ${code}`}`);
  const length = type === DOMAIN_NAME ? (await reader.take(1))[0]! : type === IPV6 ? 16 : 4;
  await reader.take(length + 2);
}

/** Reads the proxy's few bytes; what follows them belongs to the server. */
class HandshakeReader {
  private readonly socket: Socket;
  private received = Buffer.alloc(0);
  private failure: Error | undefined;
  private wake: () => void = () => undefined;
  private readonly add = (chunk: Buffer): void => {
    this.received = Buffer.concat([this.received, chunk]);
    this.wake();
  };
  private readonly fail = (error?: unknown): void => {
    this.failure ??= error instanceof Error ? error : new Error('the proxy closed the connection');
    this.wake();
  };

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', this.add);
    socket.on('error', this.fail);
    socket.on('close', this.fail);
  }

  async take(bytes: number): Promise<Buffer> {
    while (this.received.length < bytes) {
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    const taken = this.received.subarray(0, bytes);
    this.received = this.received.subarray(bytes);
    return taken;
  }

  /** The socket, for the next protocol. */
  release(): Socket {
    const { socket } = this;
    socket.pause();
    socket.off('data', this.add);
    socket.off('error', this.fail);
    socket.off('close', this.fail);
    if (this.received.length > 0) socket.unshift(this.received);
    return socket;
  }
}
