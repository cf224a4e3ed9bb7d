/**
 * Errors as they go to clients: `Status` objects of the meta API. One table says which code belongs to which reason;
 * every error that leaves the server is made here.
 */
import type { FieldErrors } from './field-errors.ts';
import { joinedErrors, printedErrors } from './field-errors.ts';
import { goQuote } from '../values/go-format.ts';

const REASON_CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

/** Reasons of `Status` objects that this server gives. */
export type StatusReason = keyof typeof REASON_CODES;

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The wire form. `code` is absent on successes; `reason` is absent where nothing fits. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, unknown>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface GroupResource {
  group: string;
  resource: string;
}

export interface GroupKind {
  group: string;
  kind: string;
}

/** An error that is answered as its `Status`. The message is the status' message. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? '');
    this.name = 'StatusError';
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** The text of a resource or kind with its group: `deployments.apps`, `pods`. */
export function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function failure(reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError(failureStatus(REASON_CODES[reason], reason, message, details));
}

/** A failed status in any code; `reason` may be empty. */
export function failureStatus(code: number, reason: string, message: string, details?: StatusDetails): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  if (message !== '') status.message = message;
  if (reason !== '') status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return status;
}

function detailsOf(name: string, group: string, kind: string): StatusDetails {
  const details: StatusDetails = {};
  if (name !== '') details.name = name;
  if (group !== '') details.group = group;
  if (kind !== '') details.kind = kind;
  return details;
}

function resourceDetails(gr: GroupResource, name = ''): StatusDetails {
  return detailsOf(name, gr.group, gr.resource);
}

function withRetry(details: StatusDetails, retryAfterSeconds: number): StatusDetails {
  if (retryAfterSeconds !== 0) details.retryAfterSeconds = retryAfterSeconds;
  return details;
}

/** 404. */
export function notFound(gr: GroupResource, name: string): StatusError {
  return failure(
    'NotFound',
    `${qualified(gr.resource, gr.group)} ${goQuote(name)} not found`,
    resourceDetails(gr, name),
  );
}

/** 409 for a create. */
export function alreadyExists(gr: GroupResource, name: string): StatusError {
  return failure(
    'AlreadyExists',
    `${qualified(gr.resource, gr.group)} ${goQuote(name)} already exists`,
    resourceDetails(gr, name),
  );
}

/** 409 for a create by `generateName` that met only taken names. */
export function generateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message =
    `${qualified(gr.resource, gr.group)} ${goQuote(name)} already exists, ` +
    'the server was not able to generate a unique name for the object';
  return failure('AlreadyExists', message, withRetry(resourceDetails(gr, name), retryAfterSeconds));
}

/** 409 for an update. */
export function conflict(gr: GroupResource, name: string, message: string): StatusError {
  const text = `Operation cannot be fulfilled on ${qualified(gr.resource, gr.group)} ${goQuote(name)}: ${message}`;
  return failure('Conflict', text, resourceDetails(gr, name));
}

/** 410, reason `Gone`. */
export function gone(message: string): StatusError {
  return failure('Gone', message);
}

/** 410, reason `Expired`: the requested resourceVersion is no longer kept. */
export function resourceExpired(message: string): StatusError {
  return failure('Expired', message);
}

/** 422 with one cause per field error. */
export function invalid(gk: GroupKind, name: string, errors: FieldErrors): StatusError {
  const head = `${qualified(gk.kind, gk.group)} ${goQuote(name)} is invalid`;
  const details = detailsOf(name, gk.group, gk.kind);
  if (errors.length === 0) return failure('Invalid', head, details);
  const printed = printedErrors(errors);
  details.causes = printed.map(({ error, body }) => ({ reason: error.type, message: body, field: error.field }));
  return failure('Invalid', `${head}: ${joinedErrors(printed)}`, details);
}

/** 400. */
export function badRequest(message: string): StatusError {
  return failure('BadRequest', message);
}

/** 401. */
export function unauthorized(message = ''): StatusError {
  return failure('Unauthorized', message === '' ? 'not authorized' : message);
}

/** 403. */
export function forbidden(gr: GroupResource, name: string, message: string): StatusError {
  const resource = qualified(gr.resource, gr.group);
  const subject = resource === '' ? '' : name === '' ? `${resource} is ` : `${resource} ${goQuote(name)} is `;
  return failure('Forbidden', `${subject}forbidden: ${message}`, resourceDetails(gr, name));
}

/** 406. */
export function notAcceptable(message: string, details?: StatusDetails): StatusError {
  return failure('NotAcceptable', message, details);
}

/** 415. */
export function unsupportedMediaType(message: string, details?: StatusDetails): StatusError {
  return failure('UnsupportedMediaType', message, details);
}

/** 413. */
export function requestEntityTooLarge(message: string): StatusError {
  return failure('RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** 429. */
export function tooManyRequests(message: string, retryAfterSeconds = 0, causes?: StatusCause[]): StatusError {
  const details = withRetry({}, retryAfterSeconds);
  if (causes !== undefined) details.causes = causes;
  return failure('TooManyRequests', message, details);
}

/** 504; the operation may still complete. */
export function timeout(message: string, retryAfterSeconds = 0, causes?: StatusCause[]): StatusError {
  const details = withRetry({}, retryAfterSeconds);
  if (causes !== undefined) details.causes = causes;
  return failure('Timeout', `Timeout: ${message}`, details);
}

/** 504 for a list or watch at a revision that the server has not reached. */
export function resourceVersionTooLarge(
  wanted: number | bigint,
  current: number | bigint,
  retryAfterSeconds: number,
): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return timeout(`Too large resource version: ${wanted}, current: ${current}`, retryAfterSeconds, causes);
}

/** 500, reason `ServerTimeout`: clients try again. */
export function serverTimeout(gr: GroupResource, verb: string, retryAfterSeconds: number): StatusError {
  const message = `The ${verb} operation against ${qualified(gr.resource, gr.group)} could not be completed at this time, please try again.`;
  return failure('ServerTimeout', message, withRetry(resourceDetails(gr, verb), retryAfterSeconds));
}

/** 503. */
export function serviceUnavailable(message: string, retryAfterSeconds = 0): StatusError {
  return failure('ServiceUnavailable', message, retryAfterSeconds === 0 ? undefined : { retryAfterSeconds });
}

/** 500. The text goes to the client: pass nothing internal. */
export function internalError(error: Error | string): StatusError {
  const text = typeof error === 'string' ? error : error.message;
  return failure('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}

const GENERIC_REASONS: Record<number, StatusReason> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
const GENERIC_MESSAGES: Record<number, string> = {
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  422: 'the server rejected our request due to an error in our request',
};

/** An error below the resource: of a path, a method or a media type. Its details are always there, maybe empty. */
export function genericServerResponse(
  code: number,
  message = '',
  gr: GroupResource = { group: '', resource: '' },
  name = '',
): StatusError {
  const text =
    message !== '' ? message : (GENERIC_MESSAGES[code] ?? `the server responded with the status code ${code}`);
  return new StatusError(failureStatus(code, GENERIC_REASONS[code] ?? '', text, resourceDetails(gr, name)));
}

/** The status of a finished operation that has no object to answer with, such as a delete. */
export function successStatus(details?: StatusDetails): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  if (details !== undefined) status.details = details;
  return status;
}

function hasReason(error: unknown, reason: StatusReason): boolean {
  return error instanceof StatusError && error.reason === reason;
}

export const isNotFound = (e: unknown): boolean => hasReason(e, 'NotFound');
export const isAlreadyExists = (e: unknown): boolean => hasReason(e, 'AlreadyExists');
export const isConflict = (e: unknown): boolean => hasReason(e, 'Conflict');
/** Whether the server says that it did not do what it was asked: else, as where it ended meanwhile, it may have. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code < 500;
}

/** What a request resolves with; undefined where the object is not there. */
export async function unlessNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the namespace of a new object is being deleted. */
export function isNamespaceTerminating(e: unknown): boolean {
  return isForbidden(e) && (e as StatusError).status.details?.causes?.some(isTerminatingCause) === true;
}

function isTerminatingCause({ reason }: StatusCause): boolean {
  return reason === 'NamespaceTerminating';
}

export const isInvalid = (e: unknown): boolean => hasReason(e, 'Invalid');
export const isForbidden = (e: unknown): boolean => hasReason(e, 'Forbidden');

/** An answer with a code and a message and no reason, as stock servers give for some malformed options. */
export function plainInternal(message: string): StatusError {
  return new StatusError(failureStatus(500, '', message));
}
