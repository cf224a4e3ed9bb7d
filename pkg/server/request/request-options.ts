import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { badRequest, invalid, type StatusError } from '../../apimachinery/errors/status-error.ts';
import { checkDryRun } from '../../registry/delete-options.ts';
import type { Freshness } from '../../registry/read-objects.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Query parameters of one write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

/** Query parameters of a list or watch (`ListOptions` of meta/v1), checked. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: none given. */
  readonly timeoutSeconds: number;
  readonly limit: number;
  readonly continue: string;
}

/** A query value as stock servers read booleans: absent, `false` and `0` are false, all else is true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !/^(false|0)$/i.test(value);
}

const UINT64_MAX = 2n ** 64n - 1n;

/** An integer parameter of 64 bits, the nearest safe number where it is beyond; throws 400 in Go's words. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[-+]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  if (value.length > 20 || BigInt.asIntN(64, BigInt(value)) !== BigInt(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  return number > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** Checks `dryRun` and `fieldValidation`; `kind` names the options in the error. */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const errors = new FieldErrors();
  const dryRun = query.getAll('dryRun').filter((v) => v !== '');
  checkDryRun(dryRun, errors);
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation))
    errors.notSupported(field('fieldValidation'), validation, ['', 'Ignore', 'Strict', 'Warn']);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return { dryRun: dryRun.length > 0, fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation) };
}

export function parseListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch,
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks'),
    sendInitialEvents: query.has('sendInitialEvents') ? booleanParameter(query, 'sendInitialEvents') : undefined,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: Math.max(0, integerParameter(query, 'timeoutSeconds') ?? 0),
    limit: Math.max(0, integerParameter(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
  };
  const errors = new FieldErrors();
  checkVersionMatch(options, errors);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

function checkVersionMatch(options: ListOptions, errors: FieldErrors): void {
  const path = field('resourceVersionMatch');
  const { resourceVersion, resourceVersionMatch: match } = options;
  if (options.watch) {
    checkInitialEvents(options, errors);
    return;
  }
  if (options.sendInitialEvents !== undefined)
    errors.forbidden(field('sendInitialEvents'), 'sendInitialEvents is forbidden for list');
  if (match === '') return;
  if (options.continue !== '') errors.forbidden(path, 'resourceVersionMatch is forbidden when continue is provided');
  if (resourceVersion === '')
    errors.forbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match !== 'Exact' && match !== 'NotOlderThan') errors.notSupported(path, match, ['Exact', 'NotOlderThan', '']);
  if (match === 'Exact' && resourceVersion === '0')
    errors.forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
}

function checkInitialEvents(options: ListOptions, errors: FieldErrors): void {
  const path = field('resourceVersionMatch');
  if (options.sendInitialEvents === undefined) {
    if (options.resourceVersionMatch !== '')
      errors.forbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
    return;
  }
  if (options.resourceVersionMatch === '')
    errors.forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  else if (options.resourceVersionMatch !== 'NotOlderThan')
    errors.notSupported(path, options.resourceVersionMatch, ['NotOlderThan']);
}

/** The revision in a resourceVersion; throws 400, with the cause in Go's words. */
export function parseRevision(resourceVersion: string): number {
  if (!/^\d+$/.test(resourceVersion)) throw noRevision(resourceVersion, 'invalid syntax');
  const revision = Number(resourceVersion);
  // No store gets beyond 2^53; what is above is a version of the future like any other.
  if (!Number.isSafeInteger(revision) && (resourceVersion.length > 20 || BigInt(resourceVersion) > UINT64_MAX))
    throw noRevision(resourceVersion, 'value out of range');
  return revision;
}

function noRevision(resourceVersion: string, problem: string): StatusError {
  const quoted = JSON.stringify(resourceVersion);
  return badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${problem}`,
  );
}

/** The freshness that a list's or read's resourceVersion requests. */
export function freshnessOf(resourceVersion: string, match: string, limit: number): Freshness {
  if (resourceVersion === '') return { kind: 'consistent' };
  const revision = parseRevision(resourceVersion);
  if (match === 'Exact') return { kind: 'exact', revision };
  if (revision === 0) return { kind: 'any' };
  // Without a match rule a limited list at a version is of that version.
  if (match === '' && limit > 0) return { kind: 'exact', revision };
  return { kind: 'at-least', revision };
}
