import net from 'node:net';
import tls from 'node:tls';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME_HEAD_BYTES = 9;
/** First bytes of header blocks that begin with `:status: 200`, 204 and 206 (RFC 7541, appendix A). */
const SUCCESSES = new Set([0x88, 0x89, 0x8a]);

/** Types of frames (RFC 9113, 6). */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const flag = { ack: 0x1, endStream: 0x1, endHeaders: 0x4 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export type Http2Outcome = 'success' | 'failure' | 'reset' | 'goaway' | 'closed';
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** An HTTP/2 connection on which a test writes frames of its own, for what no client would send. */
export class FrameConnection {
  /** Since the connection was opened; those of settings, too. */
  readonly received: Frame[] = [];
  closed = false;
  private readonly socket: net.Socket;
  private unread = Buffer.alloc(0);
  private wake: (() => void) | undefined;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    // A server that hangs up is what tests are about.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  /** Connects, over TLS to a URL of `https:`, and sends the preface with settings that say nothing. */
  static open(url: URL): Promise<FrameConnection> {
    return new Promise((resolve, reject) => {
      const to = { host: url.hostname, port: Number(url.port) };
      const isSecure = url.protocol === 'https:';
      const socket = isSecure
        ? tls.connect({ ...to, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
        : net.connect(to);
      socket.once('error', reject);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        const connection = new FrameConnection(socket);
        connection.write(Buffer.from(PREFACE), frame(frameType.settings, 0, 0));
        resolve(connection);
      });
    });
  }

  /** The server wants no more, or has hung up. */
  get ended(): boolean {
    return this.closed || this.received.some(({ type }) => type === frameType.goaway);
  }

  /** Code of the server's GOAWAY (RFC 9113, 7); undefined where none came. */
  get goawayCode(): number | undefined {
    return this.received.find(({ type }) => type === frameType.goaway)?.payload.readUInt32BE(4);
  }

  /** Takes nothing more of what the server sends. */
  stopReading(): void {
    this.socket.pause();
  }

  write(...parts: readonly Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(parts));
  }

  /** Waits until what was written is out, or the connection gone; at most so long. */
  async flushed(timeoutMs = 100): Promise<void> {
    const deadlineMs = Date.now() + timeoutMs;
    do await new Promise(setImmediate);
    while (!this.closed && this.socket.writableLength > 0 && Date.now() < deadlineMs);
  }

  /** Waits until `done` holds or the connection is closed. */
  async until(done: () => boolean, timeoutMs = 10_000): Promise<void> {
    const deadlineMs = Date.now() + timeoutMs;
    while (!done() && !this.closed) {
      if (Date.now() > deadlineMs)
        throw new Error(
          `after ${timeoutMs} ms: frames ${this.received.map(({ type, stream }) => `${type} on ${stream}`).join(', ')}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadlineMs - Date.now() + 1);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    let rest = Buffer.concat([this.unread, bytes]);
    for (;;) {
      const end = rest.length < FRAME_HEAD_BYTES ? Infinity : FRAME_HEAD_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < end) break;
      this.received.push({
        type: rest[3]!,
        flags: rest[4]!,
        stream: rest.readUInt32BE(5),
        payload: rest.subarray(FRAME_HEAD_BYTES, end),
      });
      rest = rest.subarray(end);
    }
    this.unread = rest;
    this.wake?.();
  }
}

/** Sends one request whose headers no client would send, and tells what came of it. */
export async function sendFrames(url: URL, headers: HeaderList, body?: string): Promise<Http2Outcome> {
  const connection = await FrameConnection.open(url);
  connection.write(
    frame(frameType.headers, flag.endHeaders | (body === undefined ? flag.endStream : 0), 1, headerBlock(headers)),
    ...(body === undefined ? [] : [frame(frameType.data, flag.endStream, 1, Buffer.from(body))]),
  );
  const outcome = (): Http2Outcome | undefined =>
    connection.received.map(outcomeOf).find((found) => found !== undefined);
  await connection.until(() => outcome() !== undefined);
  connection.destroy();
  return outcome() ?? 'closed';
}

function outcomeOf({ type, payload }: Frame): Http2Outcome | undefined {
  if (type === frameType.headers) return SUCCESSES.has(payload[0]!) ? 'success' : 'failure';
  if (type === frameType.rstStream) return 'reset';
  return type === frameType.goaway ? 'goaway' : undefined;
}

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Literal fields without indexing (RFC 7541, 6.2.2). */
export function headerBlock(headers: HeaderList): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const rest = bytes.length - 127;
  if (rest < 0) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}
