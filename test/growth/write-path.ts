import { beforeCreate } from '../../pkg/api/before-create.ts';
import { beforeUpdate } from '../../pkg/api/before-update.ts';
import type { ApiObject } from '../../pkg/apimachinery/object.ts';
import { deepCopy, semanticDeepEqual } from '../../pkg/apimachinery/deep.ts';
import { applyStrategicMergePatch } from '../../pkg/apimachinery/patch/strategic-merge-patch.ts';
import { invalid } from '../../pkg/apimachinery/status-error.ts';
import type { FieldErrors } from '../../pkg/apimachinery/field-errors.ts';
import { fromHub, type Scheme, type VersionedResource } from '../../pkg/api/scheme.ts';
import { encodeProtobuf } from '../../pkg/codec/protobuf/protobuf-codec.ts';
import { decodeObject } from '../../pkg/server/decode-body.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import { RequestContext } from '../../pkg/server/request-context.ts';
import { StatusError } from '../../pkg/apimachinery/status-error.ts';

const strategyContext = (target: VersionedResource) => ({ now: '2026-01-01T00:00:00Z', user: { name: 'u', groups: [] }, requestVersion: target.groupVersion, dryRun: true });

/** A create as a dry run: decoded, given its defaults, converted, prepared, checked, warned about, answered. Undefined where the body is refused as a whole. */
export function runCreate(scheme: Scheme, target: VersionedResource, body: object): ApiObject | undefined {
  const { context: { request, response, info } } = requestOf('POST', '/', { 'content-type': 'application/json' });
  const sent = new RequestContext(request, response, info, '', { bytes: Buffer.from(JSON.stringify(body)), refusal: undefined }, 'growth', 0);
  let object: ApiObject;
  try {
    object = decodeObject(sent, scheme, target, 'Warn');
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
  const { definition } = target;
  refuse(beforeCreate(definition, object, strategyContext(target)));
  sent.warnAll(definition.warnings?.(object, undefined) ?? []);
  definition.table?.row(object, 0);
  for (const value of Object.values(definition.fieldLabels ?? {})) value(object);
  const shown = fromHub(target, object);
  if (target.message.write !== undefined) encodeProtobuf(target.message, target.groupVersion, target.kind, shown);
  return object;
}

/** An update of what `runCreate` gave, to the same with another label, and of its status. */
export function runUpdate(target: VersionedResource, old: ApiObject): void {
  const { definition } = target;
  for (const path of [undefined, definition.subresources?.find(({ name }) => name === 'status')]) {
    const changed = deepCopy(old);
    changed.metadata.annotations = { ...changed.metadata.annotations, changed: 'yes' };
    refuse(beforeUpdate(definition, path, changed, old, strategyContext(target)));
    semanticDeepEqual(changed, old);
  }
}

/** A strategic merge patch that brings all of `body`, in an order of its own, to `old`. */
export function runPatch(target: VersionedResource, old: object, patch: object): void {
  try {
    applyStrategicMergePatch(old, patch, target.schema);
  } catch (error) {
    if ((error as Error).name !== 'PatchError' && (error as Error).constructor.name !== 'PatchError') throw error;
  }
}

/** The answer of a refusal is part of the work. */
function refuse(errors: FieldErrors): void {
  if (errors.length > 0) JSON.stringify(invalid({ group: '', kind: 'Any' }, 'name', errors).status);
}
