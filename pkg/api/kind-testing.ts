import { aggregateText, type FieldErrors, fieldErrorText } from '../apimachinery/errors/field-errors.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { deepCopy } from '../apimachinery/json/deep.ts';
import { normalize } from '../codec/normalize.ts';
import { prepareNew, validateNew } from './before-create.ts';
import { prepareChange, validateChange } from './before-update.ts';
import type { AnyResource, StrategyContext } from './resource-definition.ts';
import { fromHub, Scheme, toHub } from './scheme.ts';

/**
 * Runs a kind's definition as requests do (decoding, defaults, conversion, strategy, validation) without server, store
 * or admission. For tests of kinds only.
 */

export const TEST_NOW = '2026-01-02T03:04:05Z';

/** The result of a request. */
export interface Outcome {
  /** The hub object, also where there are errors. */
  readonly object: any; // `any`: tests look at any kind's fields.
  readonly errors: FieldErrors;
  /** `path: message`, one per error, in order. */
  readonly texts: string[];
  /** The object as it is served in a version, a JSON shape. */
  as(groupVersion: string): any;
}

/** Parts of the request that a test sets. */
export interface RequestOverrides extends Partial<StrategyContext> {
  /** Namespace of the path; default `default` for namespaced kinds. */
  readonly namespace?: string;
  /** Name of the subresource for updates. */
  readonly subresource?: string;
}

/** A create request: `body` is the client's JSON in `groupVersion`. */
export function create(
  definition: AnyResource,
  groupVersion: string,
  body: unknown,
  overrides: RequestOverrides = {},
): Outcome {
  const object = decode(definition, groupVersion, body, overrides);
  const context = contextOf(groupVersion, overrides);
  prepareNew(definition, object, context);
  return outcome(definition, object, validateNew(definition, object, context));
}

/**
 * An update of `old`, a hub object as `create` gives it. `body` is the client's JSON in `groupVersion`, or a function
 * that changes a copy of the object as served in that version.
 */
export function update(
  definition: AnyResource,
  groupVersion: string,
  old: ApiObject,
  body: object | ((served: any) => void),
  overrides: RequestOverrides = {},
): Outcome {
  const subresource = definition.subresources?.find((s) => s.name === overrides.subresource);
  if (overrides.subresource !== undefined && subresource === undefined)
    throw new Error(`${definition.resource} has no subresource ${overrides.subresource}`);
  const before = deepCopy(old);
  before.metadata.resourceVersion ??= '1';
  const sent =
    typeof body === 'function' ? changed(definition, groupVersion, before, body as (served: any) => void) : body;
  const object = decode(definition, groupVersion, sent, overrides);
  object.metadata.resourceVersion ??= before.metadata.resourceVersion;
  const context = contextOf(groupVersion, overrides);
  prepareChange(definition, subresource, object, before, context);
  return outcome(definition, object, validateChange(definition, subresource, object, before, context));
}

/** A client's JSON as a defaulted hub object, without validation. */
export function decode(
  definition: AnyResource,
  groupVersion: string,
  body: unknown,
  overrides: RequestOverrides = {},
): any {
  const versioned = schemeOf(definition).at(definition, groupVersion);
  if (versioned === undefined) throw new Error(`${definition.resource} has no version ${groupVersion}`);
  const object = normalize<ApiObject & Record<string, unknown>>(deepCopy(body), versioned.schema);
  if (definition.namespaced) object.metadata.namespace ??= overrides.namespace ?? 'default';
  versioned.version.setDefaults?.(object);
  return toHub(versioned, object);
}

/** A stored hub object as it is served in another version. */
export function serve(definition: AnyResource, groupVersion: string, object: ApiObject): any {
  const versioned = schemeOf(definition).at(definition, groupVersion);
  if (versioned === undefined) throw new Error(`${definition.resource} has no version ${groupVersion}`);
  return normalize(fromHub(versioned, deepCopy(object)), versioned.schema);
}

/** The cells of an object's printed row. */
export function cells(definition: AnyResource, object: ApiObject, now = TEST_NOW): unknown[] {
  if (definition.table === undefined) throw new Error(`${definition.resource} has no table`);
  const row = definition.table.row(object, Date.parse(now));
  if (row.cells.length !== definition.table.columns.length)
    throw new Error(`${definition.resource}: ${row.cells.length} cells for ${definition.table.columns.length} columns`);
  return [...row.cells];
}

function changed(
  definition: AnyResource,
  groupVersion: string,
  old: ApiObject,
  change: (served: any) => void,
): unknown {
  const served = serve(definition, groupVersion, old);
  change(served);
  return served;
}

function outcome(definition: AnyResource, object: ApiObject, errors: FieldErrors): Outcome {
  return {
    object,
    errors,
    texts: errors.items.map(fieldErrorText),
    as: (groupVersion) => {
      if (errors.length > 0) throw new Error(`refused: ${aggregateText(errors)}`);
      return serve(definition, groupVersion, object);
    },
  };
}

function contextOf(groupVersion: string, overrides: RequestOverrides): StrategyContext {
  return {
    now: TEST_NOW,
    user: { name: 'tester', groups: [] },
    requestVersion: groupVersion,
    dryRun: false,
    policy: { allowPrivileged: false },
    ...overrides,
  };
}

const schemes = new WeakMap<AnyResource, Scheme>();

function schemeOf(definition: AnyResource): Scheme {
  let scheme = schemes.get(definition);
  if (scheme === undefined) schemes.set(definition, (scheme = new Scheme([definition])));
  return scheme;
}
