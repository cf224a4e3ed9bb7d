import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

/** A TLS connection on which a test writes bytes of its own, for what no HTTP client would send. */
export class RawConnection {
  readonly socket: tls.TLSSocket;
  closed = false;
  private text = '';
  private wake: (() => void) | undefined;

  private readonly underneath: net.Socket;

  private constructor(socket: tls.TLSSocket, underneath: net.Socket) {
    this.socket = socket;
    this.underneath = underneath;
    socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString('latin1');
      this.wake?.();
    });
    // A server that hangs up on us is what some tests are about.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  static open(url: URL, reading = true): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const underneath = net.connect(Number(url.port), url.hostname);
      underneath.on('error', () => undefined);
      const socket = tls.connect({
        socket: separate(underneath),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.once('secureConnect', () => {
        socket.off('error', reject);
        const connection = new RawConnection(socket, underneath);
        if (!reading) socket.pause();
        resolve(connection);
      });
    });
  }

  /** All that came so far, one character per byte. */
  get received(): string {
    return this.text;
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Waits until `done` holds for what came, or the connection is closed. */
  async until(done: (text: string) => boolean, timeoutMs = 10_000): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    while (!done(this.text)) {
      if (this.closed) return this.text;
      if (Date.now() > deadline) throw new Error(`after ${timeoutMs} ms: ${this.text.slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now() + 1);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.text;
  }

  /** The first whole answer with a Content-Length. */
  async answer(timeoutMs = 10_000): Promise<RawAnswer> {
    const whole = (text: string): RawAnswer | undefined => parseAnswer(text);
    const text = await this.until((t) => whole(t) !== undefined, timeoutMs);
    const answer = whole(text);
    if (answer === undefined) throw new Error(`no answer: ${JSON.stringify(text.slice(0, 200))}`);
    return answer;
  }

  untilClosed(timeoutMs = 10_000): Promise<string> {
    return this.until(() => false, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Ends the connection without a goodbye. */
  reset(): void {
    this.underneath.resetAndDestroy();
  }
}

/** The socket as a stream of its own: TLS that shares a socket's handle does not survive that the socket is reset. */
function separate(socket: net.Socket): Duplex {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, () => done()),
    final: (done) => void socket.end(() => done()),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  stream.on('error', () => undefined);
  socket.on('data', (bytes) => {
    if (!stream.push(bytes)) socket.pause();
  });
  socket.on('end', () => void stream.push(null));
  socket.on('close', () => void stream.destroy());
  return stream;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  // `any`: tests look into answers of every kind.
  readonly json: any;
}

function parseAnswer(text: string): RawAnswer | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines)
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim();
  const length = Number(headers['content-length'] ?? 0);
  if (text.length < headEnd + 4 + length) return undefined;
  const body = Buffer.from(text.slice(headEnd + 4, headEnd + 4 + length), 'latin1');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body,
    get json() {
      return JSON.parse(body.toString());
    },
  };
}

/** The answer to bytes of its own on a connection of its own. */
export async function answerTo(url: URL, text: string): Promise<RawAnswer> {
  const connection = await RawConnection.open(url);
  connection.write(text);
  const answer = await connection.answer();
  connection.destroy();
  return answer;
}

/** The head of a request, with the blank line after it. */
export function head(
  method: string,
  target: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ host: 'localhost', authorization: `Bearer ${token}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
