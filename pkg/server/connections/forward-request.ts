import type { Readable } from 'node:stream';
import { stopSending } from '../bodies/unread-body.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Backend } from './backend.ts';
import { paced } from './connection-rates.ts';
import type { Connections } from './connections.ts';
import { DialError } from './dial-error.ts';
import { exchange } from './exchange.ts';
import { requestHeaders, responseHeaders, type HeaderFields } from './forwarded-headers.ts';
import { sendAnswer, type ForwardedAnswer } from './send-answer.ts';

/** The target of a forwarded request. */
export interface Destination {
  readonly backend: Backend;
  /** With its query. */
  readonly path: string;
}

export interface ForwardSettings {
  readonly destination: Destination;
  /** Additional headers of the request. */
  readonly headers?: HeaderFields;
  /** Changes an answer before the client gets it. */
  readonly change?: (answer: ForwardedAnswer) => ForwardedAnswer;
  /** The error for a backend that cannot be reached or does not answer. */
  readonly failed: (reason: string) => Error;
}

/**
 * Forwards a request as a stream, and its answer back. No redirect is followed. Throws the error of `failed`, and those
 * of `Connections.open`.
 */
export async function forwardRequest(
  context: RequestContext,
  connections: Connections,
  settings: ForwardSettings,
): Promise<void> {
  const {
    destination: { backend, path },
    change = (answer) => answer,
  } = settings;
  try {
    const socket = await connections.open(backend);
    const abandon = (): void => void socket.destroy();
    context.response.once('close', abandon);
    if (context.closed) abandon();
    const headers = { ...requestHeaders(context), ...settings.headers };
    const body = requestBody(context, headers);
    const { response } = await exchange(socket, { method: context.method, path, headers, body });
    await sendAnswer(
      context,
      change({
        status: response.statusCode ?? 502,
        headers: responseHeaders(response.rawHeaders),
        body: response,
        source: response,
      }),
    );
  } catch (error) {
    throw error instanceof DialError ? settings.failed(error.message) : error;
  } finally {
    dropUnread(context);
  }
}

/** The body as a stream; undefined where there is none. One without a length goes out in chunks. */
function requestBody(
  { request, headers, rate, response }: RequestContext,
  outgoing: HeaderFields,
): Readable | undefined {
  if ('stream' in request) {
    if (request.stream.endAfterHeaders) return undefined;
  } else if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    return undefined;
  if (outgoing['content-length'] === undefined) outgoing['transfer-encoding'] = ['chunked'];
  return paced(request, rate?.fromClient(), response);
}

/**
 * The rest of a body that is not read any more: the client is stopped if possible, when it has its answer; until then
 * it is read, so that the next request can be.
 */
function dropUnread({ request }: RequestContext): void {
  if (request.readableEnded) return;
  request.unpipe();
  request.resume();
  stopSending(request);
}
