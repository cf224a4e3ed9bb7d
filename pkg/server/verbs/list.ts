import { decodeContinue, encodeContinue, keyAfter } from '../../apimachinery/meta/continue-token.ts';
import { badRequest, resourceExpired, StatusError } from '../../apimachinery/errors/status-error.ts';
import { continueList, listObjects } from '../../registry/read-objects.ts';
import { CompactedError, FutureRevisionError } from '../../storage/store-errors.ts';
import type { ListChunk, ListQuery } from '../../storage/cacher/list-objects.ts';
import { joinPieces, pieceBytes, type Piece } from '../answers/piece.ts';
import type { RequestContext } from '../request/request-context.ts';
import { freshnessOf, parseListOptions, type ListOptions } from '../request/request-options.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { renderJson, respondBytes, respondLocally, respondParts } from '../answers/respond.ts';
import type { ObjectReceiver } from '../request/exchange.ts';
import { objectsIn } from '../local/object-in.ts';
import { parseSelection } from '../request/selectors.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import type { WorkerPools } from '../worker-pools.ts';
import { negotiateForm, type Negotiated } from './answer-object.ts';
import { auditList } from './audit-answer.ts';
import { answerFromStored, fromStoredFor } from './list-from-stored.ts';
import type { EncodedItems } from '../representation/bulk-encoder.ts';
import { noBytes, type ListMeta } from '../representation/object-form.ts';

/** Time that encoding a list may take in one turn of the event loop, milliseconds. */
const ENCODE_TURN_MS = 8;

/** GET of a collection. */
export async function handleList(context: RequestContext, served: ResourceEndpoint, parts: ServerParts): Promise<void> {
  const negotiated = negotiateForm(context, served);
  const asked = parseListOptions(context.query, false);
  const { chunk, meta } = await readChunk(
    context,
    served,
    parts.listsInChunks ? asked : { ...asked, limit: 0, continue: '' },
  );
  // A caller in this process needs no encoding.
  if (context.exchange.local !== undefined) return answerList(context, chunk, meta, negotiated, parts);
  const fromStored = fromStoredFor(chunk, negotiated, parts);
  if (fromStored !== undefined) return answerFromStored(context, chunk, meta, negotiated, parts, fromStored);
  const encoded = await parts.bulk.encode(chunk.objects, served.target, negotiated);
  await answerList(context, chunk, meta, negotiated, parts, encoded);
}

/** Reads what the options select; also the first half of a delete of a collection. */
export async function readChunk(
  context: RequestContext,
  served: ResourceEndpoint,
  options: ListOptions,
): Promise<{ chunk: ListChunk; meta: ListMeta }> {
  const { store } = served;
  const selection = parseSelection(served.target.definition, options.labelSelector, options.fieldSelector, '');
  const scope = store.scopeOf(context.info.namespace);
  const query: ListQuery = {
    scope:
      selection.name !== undefined && (context.info.namespace !== '' || !served.target.definition.namespaced)
        ? store.keyOf(context.info.namespace, selection.name)
        : scope,
    limit: options.limit,
    ...(selection.matches === undefined ? {} : { matches: selection.matches }),
  };
  const chunk =
    options.continue === '' ? await firstChunk(served, query, options) : await nextChunk(served, query, options, scope);
  return { chunk, meta: listMeta(chunk, scope) };
}

async function firstChunk(served: ResourceEndpoint, query: ListQuery, options: ListOptions): Promise<ListChunk> {
  try {
    return await listObjects(
      served.store,
      query,
      freshnessOf(options.resourceVersion, options.resourceVersionMatch, options.limit),
    );
  } catch (error) {
    if (error instanceof CompactedError) throw resourceExpired(`The resourceVersion for the provided list is too old.`);
    throw error;
  }
}

/** `scope` is the prefix of all keys that the list may have, to which tokens refer. */
async function nextChunk(
  served: ResourceEndpoint,
  query: ListQuery,
  options: ListOptions,
  scope: string,
): Promise<ListChunk> {
  const { store } = served;
  if (options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const position = decodeContinue(options.continue, scope);
  // The token comes from the client: it may move the start within the scope, not out of it.
  const continued = { ...query, startKey: position.startKey < query.scope ? query.scope : position.startKey };
  // A token without a version continues at the newest: an expired token's answer offers one.
  if (position.revision <= 0) return listObjects(store, continued, { kind: 'consistent' });
  try {
    return await continueList(store, continued, position.revision);
  } catch (error) {
    // A version of the future is one of another server, or of this one before it was restored.
    if (error instanceof CompactedError || error instanceof FutureRevisionError)
      throw expiredToken(position.startKey, scope);
    throw error;
  }
}

/** 410 that brings a token for an inconsistent rest of the list. */
function expiredToken(startKey: string, prefix: string): Error {
  const error = resourceExpired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  const status = { ...error.status, metadata: { continue: encodeContinue({ revision: -1, startKey }, prefix) } };
  return new StatusError(status);
}

function listMeta(chunk: ListChunk, prefix: string): ListMeta {
  return {
    resourceVersion: String(chunk.revision),
    ...(chunk.nextKey === undefined
      ? {}
      : {
          continue: encodeContinue({ revision: chunk.revision, startKey: keyAfter(chunk.objects.at(-1)!.key) }, prefix),
        }),
    ...(chunk.remaining === undefined ? {} : { remainingItemCount: chunk.remaining }),
  };
}

async function answerLocalList(
  context: RequestContext,
  local: ObjectReceiver,
  chunk: ListChunk,
  meta: ListMeta,
  negotiated: Negotiated,
): Promise<void> {
  const items = await objectsIn(negotiated.target, chunk.objects);
  await auditList(context, chunk, meta, undefined, negotiated);
  respondLocally(context, 200, () => local.takeList(items, meta));
}

const noItems: EncodedItems = new Map();

/**
 * Answers with the objects of a chunk: item bytes one after another; those without `encoded` bytes are made in slices
 * that yield.
 */
export async function answerList(
  context: RequestContext,
  chunk: ListChunk,
  meta: ListMeta,
  negotiated: Negotiated,
  parts: ServerParts,
  encoded = noItems,
): Promise<void> {
  const { local } = context.exchange;
  if (local !== undefined) return answerLocalList(context, local, chunk, meta, negotiated);
  const { accepted, form } = negotiated;
  const framing = form.list(meta);
  // The head comes last: it may depend on the length of what follows.
  const body: Piece[] = [noBytes];
  let itemsBytes = 0;
  const push = (piece: Piece): void => {
    body.push(piece);
    itemsBytes += pieceBytes(piece);
  };
  let turnEnds = performance.now() + ENCODE_TURN_MS;
  for (const [i, object] of chunk.objects.entries()) {
    if (i > 0 && framing.separator.length > 0) push(framing.separator);
    if (form.pieces === undefined) {
      const item = encoded.get(object) ?? object.bytes(form.item);
      if (framing.itemPrefix !== undefined) push(framing.itemPrefix(item.length));
      push(item);
    } else for (const piece of form.pieces(object)) push(piece);
    if ((i & 15) === 15 && performance.now() > turnEnds) {
      if (context.closed) return;
      await new Promise(setImmediate);
      turnEnds = performance.now() + ENCODE_TURN_MS;
    }
  }
  const whole = chunk.objects.length === 0 ? framing.empty : undefined;
  const head = whole ?? framing.head(itemsBytes);
  const tail = whole === undefined ? framing.tail : noBytes;
  body[0] = head;
  body.push(tail);
  const total = head.length + itemsBytes + tail.length;
  await auditList(context, chunk, meta, body, negotiated);
  if (accepted.media === 'yaml' || accepted.pretty) {
    const rendered = await renderLarge(joinPieces(body, total), accepted, parts.pools);
    respondBytes(context, 200, rendered.contentType, rendered.body);
    return;
  }
  await respondParts(context, 200, form.contentType, body, total, parts.compressResponses);
}

/** Like `renderJson`, but YAML is made off the main loop. */
async function renderLarge(
  json: Uint8Array,
  accepted: Accepted,
  pools: WorkerPools,
): Promise<{ contentType: string; body: Uint8Array }> {
  if (accepted.media === 'yaml') return { contentType: 'application/yaml', body: await pools.jsonToYaml(json) };
  return renderJson(json, accepted);
}
