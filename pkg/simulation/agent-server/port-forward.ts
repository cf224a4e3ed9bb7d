import type { Duplex } from 'node:stream';
import type { Clock } from '../../apimachinery/clock.ts';
import type { SpdyStream } from './spdy-session.ts';

/** The protocol of forwarded ports: for each connection one stream of data, and one for what goes wrong. */
export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';

/** A client that says nothing for so long waits for the server's greeting. */
const GREETING_MS = 500;
/** Of an HTTP request that is looked at. */
const HEAD_BYTES_MAX = 16 * 1024;
const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/1\.[01]\r?\n/;

export interface ForwardedPod {
  readonly namespace: string;
  readonly name: string;
}

/** Answers a stream that a client opened; those for errors stay empty. */
export function answerForwarded(stream: SpdyStream, { namespace, name }: ForwardedPod, clock: Clock): void {
  const port = stream.headers.get('port') ?? '';
  if (stream.headers.get('streamtype') !== 'data') {
    stream.resume();
    stream.once('end', () => stream.end());
    return;
  }
  greet(stream, `simulated: pod ${namespace}/${name}, port ${port}\n`, clock);
}

/** Says the text once: as an HTTP response to who sends an HTTP request, else as it is. */
function greet(stream: Duplex, text: string, clock: Clock): void {
  let head = '';
  let answered = false;
  const answer = (): void => {
    if (answered) return;
    answered = true;
    cancel();
    stream.end(REQUEST_LINE.test(head) ? httpResponse(head, text) : text);
  };
  const cancel = clock.after(GREETING_MS, answer);
  stream.on('data', (bytes: Buffer) => {
    if (answered) return;
    head += bytes.toString('latin1');
    const isWhole = !startsLikeHttp(head) || /\r?\n\r?\n/.test(head) || head.length > HEAD_BYTES_MAX;
    if (isWhole) answer();
  });
  stream.once('end', answer);
  stream.once('close', cancel);
}

function startsLikeHttp(head: string): boolean {
  return /^[A-Z]+( |$)/.test(head);
}

function httpResponse(head: string, text: string): string {
  const body = head.startsWith('HEAD ') ? '' : text;
  const lines = ['HTTP/1.1 200 OK', 'Content-Type: text/plain', `Content-Length: ${text.length}`, 'Connection: close'];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
