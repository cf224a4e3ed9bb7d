import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import type { Readable } from 'node:stream';
import { alsoVary } from '../answers/also-vary.ts';
import type { RawResponse, RequestContext } from '../request/request-context.ts';
import { paced } from './connection-rates.ts';
import type { HeaderFields } from './forwarded-headers.ts';

/** A backend's answer in the form for its client. */
export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: HeaderFields;
  /** Streams as fast as the client reads. */
  readonly body: Readable;
  /** The backend's answer: releases its connection when destroyed. */
  readonly source: IncomingMessage;
}

/**
 * Forwards an answer to the client, piece by piece. Resolves when it is sent or its client is gone; then the backend's
 * connection is closed. An answer that breaks off breaks off for the client as well.
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
  const out = handedOut(response);
  writeHead(response, status, marked(context, headers));
  body.on('data', (part: Buffer) => {
    context.responseBytes += part.length;
  });
  const broken = (): void => breakOff(response);
  body.on('error', broken);
  source.on('error', broken);
  source.once('close', () => {
    if (!source.complete) broken();
  });
  paced(body, context.rate?.toClient(), response).pipe(response as NodeJS.WritableStream);
  await out;
  source.destroy();
}

/**
 * Resolves when the whole answer is sent or its client is gone. An HTTP/2 response itself reports that no earlier than
 * the client has sent its whole request.
 */
function handedOut(response: RawResponse): Promise<void> {
  return new Promise((resolve) => {
    ('stream' in response ? response.stream : response).once('finish', resolve);
    response.once('close', resolve);
  });
}

/** An HTTP/2 stream that is closed without a reason looks complete to some clients. */
function breakOff(response: RawResponse): void {
  if ('stream' in response) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/**
 * The server's own headers win over a backend's: a backend must not set the request's id, nor allow caching for other
 * users, or for every origin.
 */
function marked(
  { id, response }: RequestContext,
  { 'audit-id': _, 'cache-control': said = [], vary, ...others }: HeaderFields,
): HeaderFields {
  return {
    'audit-id': [id],
    'cache-control': ['no-cache, private', ...said],
    ...(vary === undefined ? {} : { vary: [alsoVary(response, vary.join(', '))] }),
    ...others,
  };
}

function writeHead(response: RawResponse, status: number, headers: HeaderFields): void {
  const fields = hasBody(status) ? headers : withoutLength(headers);
  (response as { writeHead(status: number, headers: object): unknown }).writeHead(
    status,
    'stream' in response ? inOneLine(fields) : fields,
  );
}

/** False for answers that end with their headers: with a length clients would wait, or report an error. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 205;
}

function withoutLength({ 'content-length': _, ...headers }: HeaderFields): HeaderFields {
  return headers;
}

/**
 * Over HTTP/2 the runtime sends no name twice that it knows as one with a single value: all are joined, which means the
 * same except for cookies.
 */
function inOneLine(headers: HeaderFields): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, name === 'set-cookie' ? values : values.join(', ')]),
  );
}
