import type { ListChunk } from '../../storage/cacher/list-objects.ts';
import { noBytes, type ListMeta, type ObjectForm } from '../representation/object-form.ts';
import { joinPieces, pieceBytes, type Piece } from '../answers/piece.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Negotiated } from './answer-object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';

/** Bytes of a list from which on it is not written down. */
const LIST_BYTES_MAX = 3 * 1024 * 1024;
/** Items encoded in one turn of the event loop. */
const ITEMS_PER_TURN = 64;

/** Writes down the object that is answered, where the audit policy wants answers. */
export function auditObject(context: RequestContext, object: CachedObject, { jsonForm }: Negotiated): void {
  if (context.audit?.wantsResponse === true) context.audit.responseJson(Buffer.concat(jsonForm().single(object)));
}

/** The same for a list. `body`: the pieces of the answer; absent, or of another form than JSON, they are made here. */
export async function auditList(
  context: RequestContext,
  chunk: ListChunk,
  meta: ListMeta,
  body: readonly Piece[] | undefined,
  { accepted, jsonForm }: Negotiated,
): Promise<void> {
  const { audit } = context;
  if (audit?.wantsResponse !== true) return;
  const pieces = accepted.media === 'protobuf' || body === undefined ? await jsonParts(chunk, meta, jsonForm()) : body;
  const bytes = pieces?.reduce((sum, piece) => sum + pieceBytes(piece), 0) ?? Number.POSITIVE_INFINITY;
  if (pieces === undefined || bytes > LIST_BYTES_MAX) audit.responseTooLarge();
  else audit.responseJson(joinPieces(pieces, bytes));
}

/** Undefined where they are too large. */
async function jsonParts(
  chunk: ListChunk,
  meta: ListMeta,
  form: ObjectForm,
): Promise<readonly Uint8Array[] | undefined> {
  const framing = form.list(meta);
  const parts: Uint8Array[] = [noBytes];
  let bytes = 0;
  for (const [i, object] of chunk.objects.entries()) {
    if (i > 0) parts.push(framing.separator);
    const item = object.bytes(form.item);
    parts.push(item);
    bytes += item.length + framing.separator.length;
    if (bytes > LIST_BYTES_MAX) return undefined;
    if (i % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await new Promise(setImmediate);
  }
  parts[0] = framing.head(bytes);
  parts.push(framing.tail);
  return parts;
}
