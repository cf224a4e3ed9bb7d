import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { FIELD_IMMUTABLE, validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import { type CSIDriver, FSGroupPolicyValues, type TokenRequest } from '../../../generated/types/storage-v1.ts';

const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;
const UPDATE_PERIOD_SECONDS_MIN = 10;

export function validateCsiDriver({ spec }: CSIDriver, errors: FieldErrors): void {
  const path = field('spec');
  // The first one has had this path since it was new.
  if (spec.attachRequired === undefined) errors.required(path.child('attachedRequired'));
  if (spec.podInfoOnMount === undefined) errors.required(path.child('podInfoOnMount'));
  if (spec.storageCapacity === undefined) errors.required(path.child('storageCapacity'));
  if (spec.fsGroupPolicy === undefined) errors.required(path.child('fsGroupPolicy'));
  else if (!FSGroupPolicyValues.includes(spec.fsGroupPolicy)) {
    errors.notSupported(path.child('fsGroupPolicy'), spec.fsGroupPolicy, FSGroupPolicyValues);
  }
  validateTokenRequests(spec.tokenRequests ?? [], path.child('tokenRequests'), errors);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!LIFECYCLE_MODES.includes(mode)) errors.notSupported(path.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES);
  }
  if (spec.seLinuxMount === undefined) errors.required(path.child('seLinuxMount'));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < UPDATE_PERIOD_SECONDS_MIN) {
    errors.invalid(
      path.child('nodeAllocatableUpdatePeriodSeconds'),
      period,
      `must be greater than or equal to ${UPDATE_PERIOD_SECONDS_MIN} seconds`,
    );
  }
  if (spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length) {
    errors.invalid(
      path.child('serviceAccountTokenInSecrets'),
      spec.serviceAccountTokenInSecrets,
      'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    );
  }
}

export function validateCsiDriverUpdate(object: CSIDriver, old: CSIDriver, errors: FieldErrors): void {
  validateCsiDriver(object, errors);
  const path = field('spec');
  validateImmutableField(object.spec.attachRequired, old.spec.attachRequired, path.child('attachedRequired'), errors);
  if (!semanticDeepEqual(object.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes)) {
    const printed = goStringSlice(object.spec.volumeLifecycleModes);
    errors.invalid(path.child('volumeLifecycleModes'), printed, FIELD_IMMUTABLE);
  }
}

function validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath, errors: FieldErrors): void {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      errors.duplicate(path.index(i).child('audience'), audience);
      continue;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) continue;
    const secondsPath = path.index(i).child('expirationSeconds');
    if (expirationSeconds < TOKEN_SECONDS_MIN)
      errors.invalid(secondsPath, expirationSeconds, 'may not specify a duration less than 10 minutes');
    if (expirationSeconds > TOKEN_SECONDS_MAX)
      errors.invalid(secondsPath, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  }
}
