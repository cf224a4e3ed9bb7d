import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RawResponse, RequestContext } from '../request/request-context.ts';
import { respondBytes } from '../answers/respond.ts';
import type { ByteRange } from './byte-range.ts';

/**
 * Answers with a part of a file, as fast as the client reads; bytes appended meanwhile are not part of it. Resolves
 * when the answer is out or its client gone. The caller closes the handle.
 */
export async function sendFile(
  context: RequestContext,
  handle: FileHandle,
  { first, last }: ByteRange,
  status: number,
  contentType: string,
  extra: Record<string, string>,
): Promise<void> {
  const bytes = last - first + 1;
  if (bytes === 0 || context.method === 'HEAD')
    return respondBytes(context, status, contentType, new Uint8Array(), { ...extra, 'content-length': String(bytes) });
  context.status = status;
  const audited = context.audit?.answering(status);
  if (audited !== undefined) await audited;
  if (context.closed) return;
  const response = context.response as RawResponse &
    NodeJS.WritableStream & { writeHead(status: number, headers: object): void };
  response.writeHead(status, {
    'audit-id': context.id,
    'cache-control': 'no-cache, private',
    'content-type': contentType,
    'content-length': bytes,
    ...extra,
  });
  const body = handle.createReadStream({ start: first, end: last, autoClose: false });
  body.on('data', (part) => {
    context.responseBytes += part.length;
  });
  try {
    await pipeline(body, response, { end: false });
  } catch {
    // The client is gone, or the file can't be read on: the answer breaks off either way.
  }
  // A file that was truncated meanwhile has fewer bytes than announced: only breaking the connection tells the client.
  if (context.responseBytes < bytes) response.destroy();
  else response.end();
}
