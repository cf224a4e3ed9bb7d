import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';

const HEAD_BYTES_MAX = 8192;

export interface RecordAnswer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * A client of HTTP/1.1 that decides which bytes share a TLS record, and sends several records in one piece, so that the
 * server reads them together.
 */
export class RecordClient {
  private readonly tcp: Socket;
  private readonly tls: TLSSocket;
  private readonly received: Buffer[] = [];
  /** The output of the TLS layer while records are gathered. */
  private gathered: Buffer[] | undefined;
  private closed = false;
  private wake: () => void = () => undefined;

  private constructor(port: number) {
    this.tcp = connectTcp({ port, host: '127.0.0.1', noDelay: true });
    this.tls = connect({ socket: this.underTls(), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    // Tests of a server that disconnects handle that.
    this.tcp.on('error', () => undefined);
    this.tls.on('error', () => undefined);
    this.tls.on('data', (bytes: Buffer) => {
      this.received.push(bytes);
      this.wake();
    });
    this.tcp.on('close', () => {
      this.closed = true;
      this.wake();
    });
  }

  static async open(port: number): Promise<RecordClient> {
    const client = new RecordClient(port);
    await once(client.tls, 'secureConnect');
    return client;
  }

  private underTls(): Duplex {
    const { tcp } = this;
    const stream = new Duplex({
      read: () => void tcp.resume(),
      write: (chunk: Buffer, _encoding, done) => {
        this.gathered?.push(chunk);
        if (this.gathered === undefined) tcp.write(chunk);
        done();
      },
      final: (done) => void tcp.end(done),
      destroy: (error, done) => {
        tcp.destroy();
        done(error);
      },
    });
    tcp.on('data', (bytes) => {
      if (!stream.push(bytes)) tcp.pause();
    });
    tcp.on('close', () => void stream.push(null));
    return stream;
  }

  /** Sends each text as a separate record, all of them at once. */
  async send(...records: readonly string[]): Promise<void> {
    this.gathered = [];
    // One after the other: the TLS layer joins pending writes into one record.
    for (const record of records) await new Promise<void>((resolve) => void this.tls.write(record, () => resolve()));
    const { gathered } = this;
    this.gathered = undefined;
    this.tcp.write(Buffer.concat(gathered));
  }

  /** Waits for the first bytes of an answer, and reads no more. */
  async readFirstBytes(): Promise<void> {
    if (this.received.length === 0) await this.more();
    this.tls.pause();
  }

  /** Reads on until there are `count` answers since the last call, or the server has disconnected. */
  async answers(count: number): Promise<readonly RecordAnswer[]> {
    const answers: RecordAnswer[] = [];
    this.tls.resume();
    for (;;) {
      for (let answer = this.takeAnswer(); answer !== undefined; answer = this.takeAnswer()) answers.push(answer);
      if (answers.length >= count || this.closed) return answers;
      await this.more();
    }
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** The first answer in the received bytes, if it is complete; each has a length. */
  private takeAnswer(): RecordAnswer | undefined {
    const head = headOf(this.received);
    if (head === undefined) return undefined;
    const total = this.received.reduce((sum, part) => sum + part.length, 0);
    const length = head.bytes + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head.text)?.[1]);
    if (total < length) return undefined;
    const bytes = Buffer.concat(this.received.splice(0));
    if (total > length) this.received.push(bytes.subarray(length));
    return { status: Number(head.text.split(' ')[1]), head: head.text, body: bytes.subarray(head.bytes, length) };
  }

  destroy(): void {
    this.tls.destroy();
    this.tcp.destroy();
  }
}

function headOf(received: readonly Buffer[]): { text: string; bytes: number } | undefined {
  let text = '';
  for (const part of received) {
    text += part.toString('latin1', 0, HEAD_BYTES_MAX);
    const end = text.indexOf('\r\n\r\n');
    if (end >= 0) return { text: text.slice(0, end + 2), bytes: end + 4 };
    if (text.length > HEAD_BYTES_MAX) throw new Error(`no head of an answer: ${text.slice(0, 200)}`);
  }
  return undefined;
}
