import { JsonError, parseJson } from '../../apimachinery/json/json.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import {
  badRequest,
  requestEntityTooLarge,
  StatusError,
  unsupportedMediaType,
  plainInternal,
} from '../../apimachinery/errors/status-error.ts';
import { toHub, versionOf, type KindLookup, type VersionedResource } from '../../api/scheme.ts';
import { canonicalizeDecoded } from '../../codec/canonicalize-decoded.ts';
import { DecodeError, normalize } from '../../codec/normalize.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { schemaOf } from '../../codec/schemas.ts';
import { messageOf } from '../../codec/messages.ts';
import { readYaml, YamlError } from '../../codec/yaml.ts';
import type { WorkerPools } from '../worker-pools.ts';
import { type FieldValidation } from '../request/request-options.ts';
import { StrictProblems } from './strict-problems.ts';
import { bodyMediaType } from '../answers/negotiation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { resourceSchemeName } from '../documents/scheme-names.ts';

/** Most bytes of a request body. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;

/**
 * Decodes the body of a write into a hub object, defaults applied. Throws 400, 413 or 415 in the words that clients
 * know.
 */
export function decodeObject(
  context: RequestContext,
  scheme: KindLookup,
  target: VersionedResource,
  validation: FieldValidation,
): ApiObject {
  const { document } = context.exchange;
  if (document !== undefined) return decodeDocument(context, document, scheme, target, validation);
  const media = bodyMediaType(context.headers['content-type']);
  if (media === undefined) throw unknownFormat();
  if (context.body.length > BODY_BYTES_MAX) throw requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);
  if (media === 'protobuf') return decodeProtobufObject(context, scheme, target);
  const strict = new StrictProblems(validation);
  const parsed = parseText(context, media, target.kind, strict);
  const source = identify(parsed, scheme, target, context.body);
  const object = normalizeObject(parsed, source, target, strict);
  strict.report(context, (reason) => cannotHandle(source, target, reason), media === 'json' ? parsed : undefined);
  return finish(context, source, object);
}

/** The same with an object that a caller in this process passes: the result shares nothing with it. */
function decodeDocument(
  context: RequestContext,
  document: unknown,
  scheme: KindLookup,
  target: VersionedResource,
  validation: FieldValidation,
): ApiObject {
  const strict = new StrictProblems(validation);
  const problem = noObjectProblem(document);
  if (problem !== undefined) throw unrecognized(target.kind, problem, context.body);
  const passed = document as Record<string, unknown>;
  const source = identify(passed, scheme, target, context.body);
  const object = normalizeObject(passed, source, target, strict, true);
  strict.report(context, (reason) => cannotHandle(source, target, reason), passed);
  return finish(context, source, object);
}

export function unknownFormat(
  known = 'application/json, application/yaml, application/vnd.kubernetes.protobuf',
): Error {
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known}`,
  );
}

function cannotHandle(source: { kind: string; groupVersion: string }, target: { kind: string }, reason: string): Error {
  return badRequest(
    `${source.kind} in version ${JSON.stringify(versionOf(source.groupVersion))} cannot be handled as a ${target.kind}: ${reason}`,
  );
}

function parseText(
  context: RequestContext,
  media: 'json' | 'yaml',
  kind: string,
  strict: StrictProblems,
): Record<string, unknown> {
  const { body } = context;
  const parsed = media === 'yaml' ? parseYamlBody(context, kind, strict) : parseJsonBody(body, kind, strict);
  const problem = noObjectProblem(parsed);
  if (problem !== undefined) throw unrecognized(kind, problem, body);
  return parsed as Record<string, unknown>;
}

/** Why kind and version cannot be read from what is no JSON object. */
function noObjectProblem(parsed: unknown): string | undefined {
  if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) return undefined;
  const type =
    parsed === null ? 'null' : Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  const struct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${struct}`;
}

function parseJsonBody(body: Uint8Array, kind: string, strict: StrictProblems): unknown {
  try {
    const onDuplicate = strict.onDuplicate;
    return parseJson(body, onDuplicate === undefined ? {} : { reportDuplicates: onDuplicate });
  } catch (error) {
    if (error instanceof JsonError)
      throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, body);
    throw error;
  }
}

function parseYamlBody({ yaml, body }: RequestContext, kind: string, strict: StrictProblems): unknown {
  const { value, error, duplicate } = yaml ?? readYaml(body);
  if (error !== undefined) throw unrecognized(kind, error, body);
  if (duplicate !== undefined) strict.add(duplicate);
  return value;
}

/**
 * From this size on, decoding holds the loop for so long that others get their turn before the rest of the write,
 * bytes.
 */
const TURN_BYTES = 256 * 1024;

/**
 * Awaited between decoding a body and working with its object. A thread would not help: the way back takes longer than
 * parsing.
 */
export function turnAfterDecoding(context: RequestContext): Promise<void> | undefined {
  return context.body.length < TURN_BYTES ? undefined : new Promise((resolve) => void setImmediate(resolve));
}

/** Has a large YAML body read on a thread before it is needed: it takes longer than others should wait. */
export function readAhead(context: RequestContext, pools: WorkerPools): Promise<void> | undefined {
  if (
    context.body.length < pools.thresholds.yamlThreadBytes ||
    bodyMediaType(context.headers['content-type']) !== 'yaml'
  )
    return undefined;
  return pools.readYaml(context.body).then((reading) => {
    context.yaml = reading;
  });
}

function unrecognized(kind: string, reason: string, body: Uint8Array): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${reason} (${summary(body)})`);
}

/** The first bytes of a body, as text when it looks like JSON. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = Buffer.from(body.subarray(0, 30));
  const dots = body.length > 30 ? ' ...' : '';
  return head[0] === 0x7b ? `${head.toString('utf8')}${dots}` : `${head.toString('hex')}${dots}`;
}

/** The version in the body; absent kind or version default to those of the path. */
function identify(
  parsed: Record<string, unknown>,
  scheme: KindLookup,
  target: VersionedResource,
  body: Uint8Array,
): VersionedResource {
  const kind = parsed['kind'] ?? '';
  const apiVersion = parsed['apiVersion'] ?? '';
  if (typeof kind !== 'string' || typeof apiVersion !== 'string')
    throw unrecognized(
      target.kind,
      "couldn't get version/kind; json parse error: kind and apiVersion must be strings",
      body,
    );
  return sourceOf(scheme, target, apiVersion, kind);
}

function sourceOf(scheme: KindLookup, target: VersionedResource, apiVersion: string, kind: string): VersionedResource {
  if ((kind === '' || kind === target.kind) && (apiVersion === '' || apiVersion === target.groupVersion)) return target;
  const named = { kind: kind || target.kind, groupVersion: apiVersion || target.groupVersion };
  const source = scheme.forKind(named.groupVersion, named.kind);
  const problem = foreignKindProblem(source, named, target);
  if (source === undefined || problem !== undefined) throw cannotHandle(named, target, problem ?? '');
  if (source.groupVersion !== target.groupVersion) {
    throw badRequest(
      `the API version in the data (${source.groupVersion}) does not match the expected API version (${target.groupVersion})`,
    );
  }
  return source;
}

/**
 * Why an object that says it is `named` (`source`, where that is known) is none of the target's kind; undefined where
 * it is.
 */
export function foreignKindProblem(
  source: VersionedResource | undefined,
  named: { kind: string; groupVersion: string },
  target: VersionedResource,
): string | undefined {
  if (source === undefined) {
    return `no kind ${JSON.stringify(named.kind)} is registered for version ${JSON.stringify(named.groupVersion)} in scheme ${JSON.stringify(resourceSchemeName(target))}`;
  }
  if (source.definition === target.definition) return undefined;
  return `converting (${versionOf(source.groupVersion)}.${source.kind}) to (${hubPackage(target)}.${target.kind}): unknown conversion`;
}

/** The name under which stock servers know a group's internal types: `core`, `apps`, `networking`. */
function hubPackage({ definition }: VersionedResource): string {
  return definition.hub.includes('/') ? definition.hub.split(/[./]/)[0]! : 'core';
}

function normalizeObject(
  parsed: Record<string, unknown>,
  source: VersionedResource,
  target: VersionedResource,
  strict: StrictProblems,
  copyRaw = false,
): ApiObject {
  try {
    return normalize<ApiObject>(parsed, source.schema, { onUnknown: strict.onUnknown, copyRaw });
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(source, target, error.message);
    throw error;
  }
}

function decodeProtobufObject(context: RequestContext, scheme: KindLookup, target: VersionedResource): ApiObject {
  const { body } = context;
  if (target.message.read === undefined) throw unknownFormat('application/json, application/yaml');
  let envelope;
  try {
    envelope = decodeEnvelope(body);
  } catch (error) {
    throw unrecognized(target.kind, (error as Error).message, body);
  }
  const source = sourceOf(scheme, target, envelope.apiVersion, envelope.kind);
  if (source.message.read === undefined) throw unknownFormat();
  let object: ApiObject;
  try {
    object = decodeProtobuf<ApiObject>(source.message, envelope.raw, source.groupVersion, source.kind);
    canonicalizeDecoded(object, source.schema);
  } catch (error) {
    throw cannotHandle(source, target, wireProblem(error));
  }
  return finish(context, source, object);
}

/** The error of protobuf bytes; the decoder's own message stays inside. */
function wireProblem(error: unknown): string {
  if (error instanceof DecodeError || error instanceof JsonError) return error.message;
  return error instanceof RangeError ? 'proto: unexpected EOF' : 'proto: cannot parse invalid wire-format data';
}

function finish(context: RequestContext, source: VersionedResource, object: ApiObject): ApiObject {
  source.version.setDefaults?.(object);
  context.audit?.requestObject({ kind: source.kind, apiVersion: source.groupVersion, ...object });
  return toHub(source, object);
}

/** Decodes the optional body of a delete, or of an eviction's options; an empty body is an empty document. */
export function decodeOptions<T extends object>(context: RequestContext, kind: string): T {
  if (!context.hasBody) return {} as T;
  const options = readOptions<T>(context, kind);
  context.audit?.requestDocument({ kind, apiVersion: 'meta.k8s.io/v1', ...options });
  return options;
}

function readOptions<T>(context: RequestContext, kind: string): T {
  const message = messageOf(`meta/v1.${kind}`);
  const { document } = context.exchange;
  if (document !== undefined) return normalize<T>(document, schemaOf(message.message), { copyRaw: true });
  const media = bodyMediaType(context.headers['content-type']);
  if (media === undefined) throw unknownFormat();
  try {
    if (media === 'protobuf') return decodeProtobuf<T>(message, decodeEnvelope(context.body).raw);
    const parsed = media === 'yaml' ? yamlValue(context) : parseJson(context.body);
    const problem = noObjectProblem(parsed);
    if (problem !== undefined) throw plainInternal(problem);
    checkOptionsKind(parsed, kind);
    return normalize<T>(parsed, schemaOf(message.message));
  } catch (error) {
    // Stock servers answer these as internal errors; clients see the same.
    if (error instanceof StatusError) throw error;
    const { message: problem } = error as Error;
    throw plainInternal(
      error instanceof JsonError ? `couldn't get version/kind; json parse error: ${problem}` : problem,
    );
  }
}

function yamlValue({ yaml, body }: RequestContext): unknown {
  const { value, error } = yaml ?? readYaml(body);
  if (error !== undefined) throw new YamlError(error);
  return value;
}

function checkOptionsKind(parsed: unknown, kind: string): void {
  const named = (parsed as { kind?: unknown } | null)?.kind;
  if (named === undefined || named === '' || named === kind) return;
  const apiVersion = (parsed as { apiVersion?: unknown }).apiVersion;
  throw unregisteredOptions(String(named), String(apiVersion ?? ''));
}

function unregisteredOptions(kind: string, apiVersion: string): Error {
  const message = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`;
  return plainInternal(message);
}
