import { noAdmission } from '../../admission/admission.ts';
import { buildScale, scaleReplicas, validateScale, type ScaleVersion } from '../../api/autoscaling/scale.ts';
import type { ScaleAccess } from '../../api/resource-definition.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { conflict, invalid, notFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Scale as ScaleV1beta1 } from '../../generated/types/apps-v1beta1.ts';
import type { Scale as ScaleV1 } from '../../generated/types/autoscaling-v1.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';
import type { WriteRequest } from '../write-request.ts';

export type Scale = ScaleV1 | ScaleV1beta1;

/** How an object is converted to a Scale. */
export interface ScaleView {
  readonly access: ScaleAccess<ApiObject>;
  /** The Scale's own group and version. */
  readonly version: ScaleVersion;
}

/** A change of the replicas of one object. */
export interface ScaleRequest extends WriteRequest {
  /** The requested Scale, which the update takes ownership of. Runs once per attempt; throws StatusError. */
  make(current: Scale): Promise<Scale> | Scale;
  /** Shows admission the Scale, which plugins may change. */
  admit(scale: Scale, old: Scale): Promise<void>;
}

export function scaleOf({ access, version }: ScaleView, object: ApiObject): Scale {
  return buildScale(object.metadata, access.get(object), version);
}

/** Writes the replicas of a Scale into its object. Throws 404, 409 and 422. */
export async function updateScale(store: ResourceStore, view: ScaleView, request: ScaleRequest): Promise<CachedObject> {
  const { object } = await updateObject(store, {
    ...request,
    // Admission sees the Scale.
    admission: noAdmission,
    allowCreate: false,
    async transform(stored) {
      if (stored === undefined) throw notFound(store.groupResource, request.name);
      const current = stored.privateObject();
      const scale = await request.make(scaleOf(view, current));
      await request.admit(scale, scaleOf(view, current));
      checkScale(store, scale, current);
      view.access.set(current, scaleReplicas(scale));
      setVersion(current, scale.metadata.resourceVersion);
      return current;
    },
  });
  return object;
}

function checkScale(store: ResourceStore, scale: Scale, current: ApiObject): void {
  const errors = new FieldErrors();
  validateScale(scale, errors);
  const { name = '', uid = '' } = scale.metadata;
  if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
  if (uid === '' || uid === current.metadata.uid) return;
  const { group, resource } = store.definition;
  throw conflict(
    { group, resource: `${resource}/scale` },
    name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
  );
}

/** The Scale's version is the object's: an update without one overwrites. */
function setVersion(object: ApiObject, resourceVersion: string | undefined): void {
  if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
  else delete object.metadata.resourceVersion;
}
