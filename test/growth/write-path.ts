import { prepareNew, validateNew } from '../../pkg/api/before-create.ts';
import { prepareChange, validateChange } from '../../pkg/api/before-update.ts';
import type { ApiObject } from '../../pkg/apimachinery/meta/object.ts';
import { deepCopy, semanticDeepEqual } from '../../pkg/apimachinery/json/deep.ts';
import { PatchError } from '../../pkg/apimachinery/patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../pkg/apimachinery/patch/strategic-merge-patch.ts';
import { FieldErrors } from '../../pkg/apimachinery/errors/field-errors.ts';
import { fromHub, type Scheme, type VersionedResource } from '../../pkg/api/scheme.ts';
import { encodeProtobuf } from '../../pkg/codec/protobuf/protobuf-codec.ts';
import { decodeObject } from '../../pkg/server/verbs/decode-body.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import type { RequestContext } from '../../pkg/server/request/request-context.ts';
import { invalid, StatusError } from '../../pkg/apimachinery/errors/status-error.ts';

const strategyContext = (target: VersionedResource) => ({
  now: '2026-01-01T00:00:00Z',
  user: { name: 'u', groups: [] },
  requestVersion: target.groupVersion,
  dryRun: true,
  policy: { allowPrivileged: false },
});

/**
 * A create as a dry run: decoded, given its defaults, converted, prepared, checked, warned about, answered. Undefined
 * where the body is refused as a whole.
 */
export function runCreate(scheme: Scheme, target: VersionedResource, body: object): ApiObject | undefined {
  const sent = sentBody('application/json', Buffer.from(JSON.stringify(body)));
  const object = decoded(sent, scheme, target);
  if (object === undefined) return undefined;
  const { definition } = target;
  if (definition.virtual === true) {
    const errors = new FieldErrors();
    definition.validate?.(object, errors, strategyContext(target));
    refuse(errors);
    return undefined;
  }
  prepareNew(definition, object, strategyContext(target));
  refuse(validateNew(definition, object, strategyContext(target)));
  sent.warnAll(definition.warnings?.(object, undefined) ?? []);
  definition.table?.row(object, 0);
  for (const value of Object.values(definition.fieldLabels ?? {})) value(object);
  const shown = fromHub(target, object);
  if (target.message.write !== undefined)
    decodeProtobuf(scheme, target, encodeProtobuf(target.message, target.groupVersion, target.kind, shown));
  return object;
}

function decoded(sent: RequestContext, scheme: Scheme, target: VersionedResource): ApiObject | undefined {
  try {
    return decodeObject(sent, scheme, target, 'Warn');
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function decodeProtobuf(scheme: Scheme, target: VersionedResource, bytes: Uint8Array): void {
  decoded(sentBody('application/vnd.kubernetes.protobuf', bytes), scheme, target);
}

function sentBody(contentType: string, bytes: Uint8Array): RequestContext {
  const { context } = requestOf('POST', '/', { 'content-type': contentType });
  context.body = bytes;
  return context;
}

/** An update of what `runCreate` gave, to the same with another label, and of its status. */
export function runUpdate(target: VersionedResource, old: ApiObject): void {
  const { definition } = target;
  for (const path of [undefined, definition.subresources?.find(({ name }) => name === 'status')]) {
    const changed = deepCopy(old);
    changed.metadata.annotations = { ...changed.metadata.annotations, changed: 'yes' };
    prepareChange(definition, path, changed, old, strategyContext(target));
    refuse(validateChange(definition, path, changed, old, strategyContext(target)));
    semanticDeepEqual(changed, old);
  }
}

/** A strategic merge patch that brings all of `body`, in an order of its own, to `old`. */
export function runPatch(target: VersionedResource, old: object, patch: object): void {
  try {
    applyStrategicMergePatch(old, patch, target.schema);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
  }
}

/** The answer of a refusal is part of the work. */
function refuse(errors: FieldErrors): void {
  if (errors.length > 0) JSON.stringify(invalid({ group: '', kind: 'Any' }, 'name', errors).status);
}
