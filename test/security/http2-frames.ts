import tls from 'node:tls';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const GOAWAY = 7;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
/** First bytes of header blocks that begin with `:status: 200`, 204 and 206 (RFC 7541, appendix A). */
const SUCCESSES = new Set([0x88, 0x89, 0x8a]);

export type Http2Outcome = 'success' | 'failure' | 'reset' | 'goaway' | 'closed';

/** Sends one request whose headers no client would send, as frames made here, and tells what came of it. */
export function sendFrames(url: URL, headers: readonly (readonly [name: string, value: string])[], body?: string): Promise<Http2Outcome> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: url.hostname, port: Number(url.port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    let received = Buffer.alloc(0);
    const end = (outcome: Http2Outcome): void => {
      resolve(outcome);
      socket.destroy();
    };
    socket.on('error', reject);
    socket.on('close', () => resolve('closed'));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const length = received.readUIntBE(0, 3);
        const type = received[3];
        const payload = received.subarray(9, 9 + length);
        received = received.subarray(9 + length);
        if (type === HEADERS) end(SUCCESSES.has(payload[0]!) ? 'success' : 'failure');
        else if (type === RST_STREAM) end('reset');
        else if (type === GOAWAY) end('goaway');
      }
    });
    socket.write(Buffer.concat([
      Buffer.from(PREFACE), frame(SETTINGS, 0, 0, Buffer.alloc(0)),
      frame(HEADERS, END_HEADERS | (body === undefined ? END_STREAM : 0), 1, headerBlock(headers)),
      ...(body === undefined ? [] : [frame(DATA, END_STREAM, 1, Buffer.from(body))]),
    ]));
  });
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literal fields without indexing (RFC 7541, 6.2.2). */
function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const rest = bytes.length - 127;
  if (rest < 0) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}
