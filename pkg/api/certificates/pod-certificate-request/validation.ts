import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateAnnotations } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  PodCertificateRequest,
  PodCertificateRequestSpec,
} from '../../../generated/types/certificates-v1beta1.ts';
import { validateSignerName } from '../signer-name.ts';

const UID_BYTES_MAX = 128;
const SECONDS_MIN = 3600;
const SECONDS_MAX = 91 * 86_400;
/** Signers of Kubernetes itself sign for a day at most. */
const OWN_SECONDS_MAX = 86_400;
const KEY_BYTES_MAX = 10 * 1024;
const OUTCOMES = ['Denied', 'Failed', 'Issued'];

export function validatePodCertificateRequest({ spec }: PodCertificateRequest, errors: FieldErrors): void {
  const path = field('spec');
  validateSignerName(spec.signerName, path.child('signerName'), errors);
  for (const name of ['podName', 'serviceAccountName', 'nodeName'] as const) {
    for (const problem of nameIsDns1123Subdomain(spec[name], false))
      errors.invalid(path.child(name), spec[name], problem);
  }
  for (const name of ['podUID', 'serviceAccountUID', 'nodeUID'] as const) {
    if (spec[name] === '') errors.required(path.child(name), 'must not be empty');
    else if (Buffer.byteLength(spec[name]) > UID_BYTES_MAX) errors.tooLong(path.child(name), spec[name], UID_BYTES_MAX);
  }
  validateLifetime(spec, path.child('maxExpirationSeconds'), errors);
  validateKey(spec, path, errors);
  validateAnnotations(spec.unverifiedUserAnnotations, path.child('unverifiedUserAnnotations'), errors);
}

export function validatePodCertificateRequestUpdate(
  object: PodCertificateRequest,
  old: PodCertificateRequest,
  errors: FieldErrors,
): void {
  if (!semanticDeepEqual(object.spec, old.spec))
    errors.invalid(field('spec'), goText('certificates.PodCertificateRequestSpec{}'), FIELD_IMMUTABLE);
}

/** A request has at most one result, which stays; only an issued one has a certificate. */
export function validatePodCertificateRequestStatus(
  object: PodCertificateRequest,
  old: PodCertificateRequest,
  errors: FieldErrors,
): void {
  const path = field('status');
  const conditions = object.status.conditions ?? [];
  const conditionsPath = path.child('conditions');
  for (const [i, { type, status }] of conditions.entries()) {
    if (!OUTCOMES.includes(type)) errors.notSupported(conditionsPath.index(i).child('type'), type, OUTCOMES);
    if (status !== 'True') errors.notSupported(conditionsPath.index(i).child('status'), status, ['True']);
  }
  if (conditions.length > 1)
    errors.invalid(
      conditionsPath,
      goText('[]v1.Condition{}'),
      'There may be at most one condition with type "Issued", "Denied", or "Failed"',
    );
  const before = old.status.conditions ?? [];
  if (before.length > 0 && !semanticDeepEqual(object.status, old.status)) {
    return errors.invalid(
      path,
      goText('certificates.PodCertificateRequestStatus{}'),
      'immutable after PodCertificateRequest is issued, denied, or failed',
    );
  }
  const issued = conditions.some((condition) => condition.type === 'Issued');
  for (const name of ['certificateChain', 'notBefore', 'beginRefreshAt', 'notAfter'] as const) {
    const value = object.status[name];
    if (issued && !value)
      errors.required(path.child(name), 'must be present and consistent with the issued certificate');
    if (!issued && value) errors.invalid(path.child(name), value, 'must be unset unless the request is issued');
  }
}

function validateLifetime(
  { maxExpirationSeconds: seconds, signerName }: PodCertificateRequestSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (seconds === undefined) return errors.required(path, 'must be set');
  const max = signerName.startsWith('kubernetes.io/') ? OWN_SECONDS_MAX : SECONDS_MAX;
  if (seconds < SECONDS_MIN || seconds > max)
    errors.invalid(path, seconds, `must be in the range [${SECONDS_MIN}, ${max}]`);
}

/** Either a request in PKCS#10 form, or a key and the proof that the pod has its private half. */
function validateKey(spec: PodCertificateRequestSpec, path: FieldPath, errors: FieldErrors): void {
  const names = spec.stubPKCS10Request
    ? (['stubPKCS10Request'] as const)
    : (['pkixPublicKey', 'proofOfPossession'] as const);
  for (const name of names) {
    if (!spec[name]) errors.required(path.child(name), 'must not be empty');
    else if (Buffer.byteLength(spec[name], 'base64') > KEY_BYTES_MAX)
      errors.tooLong(path.child(name), '', KEY_BYTES_MAX);
  }
}
