import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import type { Readable } from 'node:stream';
import type { RawResponse, RequestContext } from '../request-context.ts';
import { paced } from './connection-rates.ts';
import type { HeaderFields } from './forwarded-headers.ts';

/** An answer as its client gets it. */
export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: HeaderFields;
  /** Comes as fast as the client takes it, and may have it. */
  readonly body: Readable;
  /** The backend's answer: lets go of its connection when destroyed. */
  readonly source: IncomingMessage;
}

/**
 * Hands an answer on to the client, piece by piece as it comes. Resolves when it is out or its client is gone; then the backend's connection is closed.
 * An answer that breaks off breaks off for the client as well.
 */
export async function sendAnswer(context: RequestContext, answer: ForwardedAnswer): Promise<void> {
  const { status, headers, body, source } = answer;
  context.status = status;
  const audited = context.audit?.answering(status);
  if (audited !== undefined) await audited;
  if (context.closed) {
    source.destroy();
    return;
  }
  const { response } = context;
  const closed = new Promise<void>((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
  writeHead(response, status, { 'audit-id': [context.id], 'cache-control': ['no-cache, private'], ...headers });
  body.on('data', (part: Buffer) => { context.responseBytes += part.length; });
  const broken = (): void => breakOff(response);
  body.on('error', broken);
  source.on('error', broken);
  source.once('close', () => {
    if (!source.complete) broken();
  });
  paced(body, context.rate?.toClient(), response).pipe(response as NodeJS.WritableStream);
  await closed;
  source.destroy();
}

/** An HTTP/2 stream that is closed without a reason looks whole to some clients. */
function breakOff(response: RawResponse): void {
  if ('stream' in response) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

function writeHead(response: RawResponse, status: number, headers: HeaderFields): void {
  (response as { writeHead(status: number, headers: HeaderFields): unknown }).writeHead(status, headers);
}
