import type { ServerResponse } from 'node:http';
import { constants as zlibConstants, createGzip } from 'node:zlib';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { parseJson } from '../../apimachinery/json/json.ts';
import { internalError, StatusError, type Status } from '../../apimachinery/errors/status-error.ts';
import { messageOf } from '../../codec/messages.ts';
import { encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { toYaml } from '../../codec/yaml.ts';
import { alsoVary } from './also-vary.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { negotiateAnswer } from './negotiate-answer.ts';
import type { Accepted } from './negotiation.ts';
import { joinPieces, pieceBytes, type Piece } from './piece.ts';
import type { RawResponse, RequestContext } from '../request/request-context.ts';
import { giveSlabBack, SLAB_BYTES, takeSlab } from './slabs.ts';

/** A client that reads nothing of its answer for this long is disconnected, milliseconds. */
const STALL_MS = 60_000;
/** Most bytes that a UTF-16 code unit takes in UTF-8. */
const UTF8_BYTES_MAX = 3;
/**
 * Answers over HTTP/1.1 of this size do not wait for the end of the turn: the next request on the connection would be
 * delayed until they are out.
 */
const AT_ONCE_BYTES_MIN = 8 * 1024;
/** What an answer of unknown length counts for while its client does not read it. */
const UNKNOWN_BYTES = 64 * 1024 * 1024;
/** Answers below this are not compressed. */
const GZIP_BYTES_MIN = 128 * 1024;

/** Sets the headers of every answer. */
function headersOf(context: RequestContext, contentType: string): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = {
    'audit-id': context.id,
    'cache-control': 'no-cache, private',
    'content-type': contentType,
  };
  const { flow } = context;
  if (flow !== undefined) {
    headers['x-kubernetes-pf-flowschema-uid'] = flow.schema.uid;
    headers['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
  }
  if (context.warnings.length > 0) headers['warning'] = context.warnings.map((w) => `299 - ${quoteWarning(w)}`);
  return headers;
}

function quoteWarning(text: string): string {
  // Header values hold visible characters alone; anything else could split the header.
  // eslint-disable-next-line no-control-regex
  const oneLine = text.replaceAll(/[\u0000-\u001f\u007f]/g, ' ');
  return `"${oneLine.replaceAll(/[\\"]/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, '?')}"`;
}

/** Answers with bytes that fit into one write. */
export function respondBytes(
  context: RequestContext,
  status: number,
  contentType: string,
  body: Uint8Array,
  extra: Record<string, string> = {},
): void {
  respondPieces(context, status, contentType, [body], extra);
}

/** The same with bytes in several pieces, which are not changed any more. */
export function respondPieces(
  context: RequestContext,
  status: number,
  contentType: string,
  body: readonly Uint8Array[],
  extra: Record<string, string> = {},
): void {
  if (context.closed) return;
  context.status = status;
  context.responseBytes = body.reduce((sum, piece) => sum + piece.length, 0);
  const audited = context.audit?.answering(status);
  if (audited === undefined) sendBytes(context, status, contentType, body, extra);
  else context.heldAnswer = audited.then(() => sendBytes(context, status, contentType, body, extra));
}

function sendBytes(
  context: RequestContext,
  status: number,
  contentType: string,
  body: readonly Uint8Array[],
  extra: Record<string, string>,
): void {
  if (context.closed) return;
  const { local } = context.exchange;
  if (local !== undefined) {
    context.answered = true;
    local.takeWarnings(context.warnings);
    local.takeBytes(status, body, extra);
    return;
  }
  const { response, responseBytes } = context;
  const headers: ReturnType<typeof headersOf> = {
    ...headersOf(context, contentType),
    'content-length': responseBytes,
    ...extra,
  };
  const { vary } = extra;
  if (vary !== undefined) headers['vary'] = alsoVary(response, vary);
  (response as RawResponse & { writeHead(status: number, headers: object): void }).writeHead(status, headers);
  context.answered = true;
  const send = (): void => {
    if (response.destroyed) return;
    if (context.method === 'HEAD') response.end();
    else endWith(response, body);
    if (responseBytes > SLAB_BYTES) {
      cutOffLater(response, STALL_MS);
      context.place?.leave(responseBytes);
    }
  };
  if (mayBreakOff(context) || holdsUpRequests(context)) send();
  else atEndOfTurn(send);
}

/**
 * The runtime pauses a connection of HTTP/1.1 with more pending bytes than its buffer holds; the TLS layer reports them
 * as sent in the turn's last phase.
 */
function holdsUpRequests({ response, responseBytes }: RequestContext): boolean {
  return !('stream' in response) && responseBytes >= AT_ONCE_BYTES_MIN;
}

/**
 * The client still sends over HTTP/2. Some end their body at the sight of an error's head; being shorter than
 * announced, that makes the runtime reset the stream, and a body that is not sent with its head would be lost.
 */
function mayBreakOff({ request }: RequestContext): boolean {
  return 'stream' in request && !request.stream.endAfterHeaders && !request.readableEnded;
}

/** The system takes several pieces without copying them; a frame of HTTP/2 is one piece. */
function endWith(response: RawResponse, body: readonly Uint8Array[]): void {
  const last = body.length - 1;
  if ('stream' in response && last > 0) {
    response.end(Buffer.concat(body));
    return;
  }
  for (let i = 0; i < last; i++) (response as ServerResponse).write(body[i]!);
  response.end(body[last]!);
}

/** Destroys an ended answer of which nothing is sent for `stallMs`. */
function cutOffLater(response: RawResponse, stallMs: number): void {
  const timer = setTimeout(() => response.destroy(), stallMs);
  timer.unref();
  const done = (): void => clearTimeout(timer);
  response.once('finish', done);
  response.once('close', done);
}

/** Answers a caller in this process: `give` passes it the answer. */
export function respondLocally(context: RequestContext, status: number, give: () => void): void {
  if (context.closed) return;
  context.status = status;
  const send = (): void => {
    if (context.closed) return;
    context.answered = true;
    context.exchange.local?.takeWarnings(context.warnings);
    give();
  };
  const audited = context.audit?.answering(status);
  if (audited === undefined) send();
  else context.heldAnswer = audited.then(send);
}

export function respondText(context: RequestContext, status: number, body: string): void {
  respondBytes(context, status, 'text/plain; charset=utf-8', Buffer.from(body), {
    'x-content-type-options': 'nosniff',
  });
}

/**
 * Answers with pieces in slabs that respect back-pressure; compressed when the client and the gate allow it.
 * `totalBytes`: the length of all pieces; undefined where it is unknown, as of large answers that are made while they
 * are sent. Pieces below `SLAB_BYTES` may be written into the same memory: each is used up before the next one is read.
 */
export async function respondParts(
  context: RequestContext,
  status: number,
  contentType: string,
  pieces: Iterable<Piece>,
  totalBytes: number | undefined,
  gzip: boolean,
  stallMs = STALL_MS,
): Promise<void> {
  if (context.closed) return;
  if (context.exchange.local !== undefined) {
    const copies = Array.from(pieces, (piece) => (typeof piece === 'string' ? piece : Buffer.from(piece)));
    const whole = joinPieces(copies, totalBytes ?? copies.reduce((sum, piece) => sum + pieceBytes(piece), 0));
    respondBytes(context, status, contentType, whole);
    return;
  }
  context.status = status;
  context.responseBytes = totalBytes ?? UNKNOWN_BYTES;
  const audited = context.audit?.answering(status);
  if (audited !== undefined) {
    await audited;
    if (context.closed) return;
  }
  const compress = gzip && context.responseBytes >= GZIP_BYTES_MIN && acceptsGzip(context);
  const headers = headersOf(context, contentType);
  if (compress)
    Object.assign(headers, { 'content-encoding': 'gzip', vary: alsoVary(context.response, 'Accept-Encoding') });
  else if (totalBytes !== undefined) headers['content-length'] = totalBytes;
  (context.response as RawResponse & { writeHead(status: number, headers: object): void }).writeHead(status, headers);
  if (compress) {
    // Node compresses on separate threads: the loop only passes slabs.
    const stream = createGzip({ level: zlibConstants.Z_BEST_SPEED });
    stream.pipe(context.response as NodeJS.WritableStream);
    context.responseBytes = await writeSlabs(stream, pieces, () => drained(stream, context, stallMs));
    stream.end();
  } else {
    const stream = context.response as NodeJS.WritableStream;
    context.responseBytes = await writeSlabs(stream, pieces, () => drained(stream, context, stallMs));
    context.response.end();
  }
  cutOffLater(context.response, stallMs);
}

function acceptsGzip(context: RequestContext): boolean {
  return /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*($|,))[\d.]+)?\s*(,|$)/i.test(
    String(context.headers['accept-encoding'] ?? ''),
  );
}

/**
 * Returns how many bytes were written. `drained` resolves when the stream has passed on all its data; false when the
 * client is gone.
 */
async function writeSlabs(
  stream: NodeJS.WritableStream,
  pieces: Iterable<Piece>,
  drained: () => Promise<boolean>,
): Promise<number> {
  let slab = takeSlab();
  let filled = 0;
  let written = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string' && piece.length * UTF8_BYTES_MAX <= slab.length - filled) {
      filled += slab.write(piece, filled);
      continue;
    }
    let bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    let from = 0;
    while (from < bytes.length) {
      const take = Math.min(bytes.length - from, slab.length - filled);
      slab.set(take === bytes.length ? bytes : bytes.subarray(from, from + take), filled);
      filled += take;
      from += take;
      if (filled < slab.length) continue;
      written += filled;
      if (!writeSlab(stream, slab, filled)) {
        if (from < bytes.length && bytes.length < SLAB_BYTES) {
          // While this waits another answer may write its pieces into the same memory.
          bytes = Uint8Array.prototype.slice.call(bytes, from);
          from = 0;
        }
        if (!(await drained())) return written;
      }
      slab = takeSlab();
      filled = 0;
    }
  }
  if (filled > 0) writeSlab(stream, slab, filled);
  else giveSlabBack(slab);
  return written + filled;
}

/**
 * False when the stream has to drain. The slab is used again when the stream has passed its bytes on; after an error it
 * may still be read.
 */
function writeSlab(stream: NodeJS.WritableStream, slab: Buffer, filled: number): boolean {
  return stream.write(slab.subarray(0, filled), (error) => {
    if (!error) giveSlabBack(slab);
  });
}

function drained(stream: NodeJS.WritableStream, context: RequestContext, stallMs: number): Promise<boolean> {
  const { response } = context;
  return new Promise((resolve) => {
    if (context.closed) {
      resolve(false);
      return;
    }
    context.place?.leave(context.responseBytes);
    const timer = setTimeout(() => response.destroy(), stallMs);
    timer.unref();
    const done = (): void => {
      clearTimeout(timer);
      stream.off('drain', done);
      response.off('close', done);
      resolve(!context.closed);
    };
    stream.on('drain', done);
    response.on('close', done);
  });
}

/** Converts JSON bytes into the negotiated form: YAML, or pretty JSON. */
export function renderJson(json: Uint8Array, accepted: Accepted): { contentType: string; body: Uint8Array } {
  if (accepted.media === 'yaml') return { contentType: 'application/yaml', body: Buffer.from(toYaml(parseJson(json))) };
  if (accepted.pretty)
    return { contentType: 'application/json', body: Buffer.from(`${stringifyEscaped(parseJson(json), 2)}\n`) };
  return { contentType: 'application/json', body: json };
}

/** Answers with a document of a kind that is not a stored object (Status, Scale, reviews). */
export function respondDocument(
  context: RequestContext,
  code: number,
  document: { kind?: string; apiVersion?: string },
  message: string,
  accepted: Accepted,
): void {
  context.audit?.responseDocument(document);
  const { local } = context.exchange;
  if (local !== undefined) {
    respondLocally(context, code, () => local.takeDocument(code, document));
    return;
  }
  if (accepted.media === 'protobuf' && accepted.transform === undefined) {
    const bytes = encodeProtobuf(messageOf(message), document.apiVersion ?? '', document.kind ?? '', document);
    respondBytes(context, code, 'application/vnd.kubernetes.protobuf', bytes);
    return;
  }
  const { contentType, body } = renderJson(Buffer.from(`${stringifyEscaped(document)}\n`), accepted);
  respondBytes(context, code, contentType, body);
}

/** Answers with the Status of an error. Errors without a Status become a plain 500 without their text. */
export function respondError(context: RequestContext, error: unknown): void {
  const status =
    error instanceof StatusError
      ? error.status
      : internalError('an error on the server prevented the request from succeeding').status;
  if (context.closed) return;
  if (context.exchange.begun) {
    // Part of an answer is out: only breaking the connection tells the client.
    context.exchange.destroy();
    return;
  }
  respondStatus(context, status);
}

export function respondStatus(context: RequestContext, status: Status): void {
  const code = status.code ?? 200;
  const retry = status.details?.retryAfterSeconds;
  const accepted = acceptedForErrors(context);
  if (retry !== undefined && retry > 0) context.exchange.setHeader('retry-after', String(retry));
  respondDocument(context, code, status, 'meta/v1.Status', accepted);
}

/** Errors are answered in JSON where the Accept header itself is the error. */
function acceptedForErrors(context: RequestContext): Accepted {
  try {
    const accepted = negotiateAnswer(context, { protobuf: true, transforms: 'all' });
    return {
      media: accepted.transform !== undefined && accepted.media === 'protobuf' ? 'protobuf' : accepted.media,
      pretty: accepted.pretty,
    };
  } catch {
    // The Accept header is the error that is being answered: JSON is the format that every client reads.
    return { media: 'json', pretty: false };
  }
}
