import { fromHub, toHub } from '../../api/scheme.ts';
import { JsonError, parseJson } from '../../apimachinery/json/json.ts';
import { jsonCopy } from '../../apimachinery/json/json-copy.ts';
import type { ReportDuplicate } from '../../apimachinery/json/json-parser.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { jsonPatchStrictErrors, OPERATIONS_MAX } from '../../apimachinery/patch/json-patch.ts';
import { PatchError } from '../../apimachinery/patch/patch-error.ts';
import {
  badRequest,
  notFound,
  requestEntityTooLarge,
  unsupportedMediaType,
} from '../../apimachinery/errors/status-error.ts';
import { DecodeError, normalize } from '../../codec/normalize.ts';
import { updateObject } from '../../registry/update-object.ts';
import type { PatchType } from './apply-patch.ts';
import { BODY_BYTES_MAX, foreignKindProblem, unknownFormat } from './decode-body.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { StrictProblems } from './strict-problems.ts';
import { answerObject, negotiateForm } from './answer-object.ts';
import { matchName, matchNamespace } from './match-path.ts';
import { patchRefusal } from './patch-refusal.ts';
import { writeRequest } from './strategy-context.ts';

const patchTypes = new Map<string, PatchType>([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

/** A patch as sent. */
export interface ParsedPatch {
  readonly type: PatchType;
  readonly value: unknown;
  readonly bytes: number;
}

/** PATCH of an object, or of a subresource whose body is the object. */
export async function handlePatch(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const patchType = patchTypeOf(context);
  // Merge keys are known of types in `proto/` alone.
  if (patchType === 'strategic' && served.target.version.schema !== undefined)
    throw unknownFormat('application/json-patch+json, application/merge-patch+json');
  const negotiated = negotiateForm(context, served);
  const options = parseWriteOptions(context.query, 'PatchOptions');
  const strict = new StrictProblems(options.fieldValidation);
  let patch: ParsedPatch | undefined;
  const result = await updateObject(served.store, {
    ...writeRequest(context, served, parts, options.dryRun),
    allowCreate: false,
    transform: async (current) => {
      if (current === undefined) throw notFound(served.store.groupResource, context.info.name);
      // Not before: what does not exist is not found, whatever the patch says.
      patch ??= parsePatch(context, patchType, strict.onDuplicate);
      return patchedObject(context, served, parts, patch, current.object(), strict);
    },
  });
  answerObject(context, 200, result.object, negotiated);
}

export function patchTypeOf(context: RequestContext): PatchType {
  const contentType = (context.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const type = patchTypes.get(contentType);
  if (type === undefined) throw unsupportedMediaType('415: Unsupported Media Type', {});
  return type;
}

/**
 * Reads the patch body; its meaning is checked when it is applied. `onDuplicate` is called with the paths of keys that
 * occur twice.
 */
export function parsePatch(context: RequestContext, type: PatchType, onDuplicate?: ReportDuplicate): ParsedPatch {
  const { document } = context.exchange;
  // What the result takes over of a patch of this process is not the caller's any more.
  const { copy: value, size: bytes } =
    document === undefined ? readPatch(context, type, onDuplicate) : jsonCopy<unknown>(document);
  return checkedPatch(context, type, value, bytes);
}

function readPatch(
  context: RequestContext,
  type: PatchType,
  onDuplicate: ReportDuplicate | undefined,
): { readonly copy: unknown; readonly size: number } {
  if (context.body.length > BODY_BYTES_MAX) throw requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);
  try {
    const copy = parseJson(context.body, onDuplicate === undefined ? {} : { reportDuplicates: onDuplicate });
    return { copy, size: context.body.length };
  } catch (error) {
    if (error instanceof JsonError) throw malformed(type, error.message);
    throw error;
  }
}

/** Throws 400 or 413 for what is no patch of its type. */
function checkedPatch(context: RequestContext, type: PatchType, sent: unknown, bytes: number): ParsedPatch {
  let value = sent;
  if (type === 'json' && Array.isArray(value) && value.length > OPERATIONS_MAX) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${value.length}`,
    );
  }
  if (type === 'merge' && value === null) throw badRequest('Invalid JSON Patch');
  if (type === 'strategic' && value === null) value = {};
  if (type !== 'json' && (typeof value !== 'object' || Array.isArray(value))) {
    const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw malformed(type, `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`);
  }
  context.audit?.requestDocument(value);
  return { type, value, bytes };
}

function malformed(type: PatchType, problem: string): Error {
  return badRequest(type === 'strategic' ? problem : `error decoding patch: ${problem}`);
}

/** Applies the patch to the stored object in the version of the request; the result is a hub object. */
async function patchedObject(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
  patch: ParsedPatch,
  current: ApiObject,
  strict: StrictProblems,
): Promise<ApiObject> {
  const { target } = served;
  const patched = await applyToDocument(parts, patch, fromHub(target, current), target.version.message);
  const object = normalizePatched(served, patched, patch, strict);
  // Before anything is written: strict validation refuses.
  strict.report(context, (reason) => patchRefusal(patch.type, patch.value, patched, reason));
  object.apiVersion = target.groupVersion;
  object.kind = target.kind;
  target.version.setDefaults?.(object);
  const hub = toHub(target, object);
  matchNamespace(context, served, hub);
  matchName(context, hub);
  return hub;
}

/** Applies a patch to a document of any kind; throws the Status errors that clients know. */
export async function applyToDocument(
  parts: ServerParts,
  patch: ParsedPatch,
  document: object,
  message: string,
): Promise<unknown> {
  try {
    return await parts.pools.patch({ type: patch.type, document, patch: patch.value, message }, patch.bytes);
  } catch (error) {
    if (error instanceof PatchError) throw error.toStatusError();
    throw error;
  }
}

function normalizePatched(
  served: ResourceEndpoint,
  patched: unknown,
  patch: ParsedPatch,
  strict: StrictProblems,
): ApiObject {
  const foreign = patch.type === 'strategic' ? undefined : foreignKind(served, patched);
  if (foreign !== undefined) throw patchRefusal(patch.type, patch.value, patched, foreign);
  if (patch.type === 'json') for (const problem of jsonPatchStrictErrors(patch.value)) strict.add(problem);
  try {
    return normalize<ApiObject>(patched, served.target.schema, { onUnknown: strict.onUnknown });
  } catch (error) {
    if (error instanceof DecodeError) throw patchRefusal(patch.type, patch.value, patched, error.message);
    throw error;
  }
}

/** What is wrong with a result that says it is of another kind. */
function foreignKind({ store, target }: ResourceEndpoint, patched: unknown): string | undefined {
  const { kind, apiVersion } = (patched ?? {}) as { kind?: unknown; apiVersion?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined;
  return foreignKindProblem(store.scheme.forKind(apiVersion, kind), { kind, groupVersion: apiVersion }, target);
}
