import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goBytes } from '../../../apimachinery/values/go-format.ts';
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type CertificateSigningRequestSpec,
  KeyUsageValues,
} from '../../../generated/types/certificates-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { checkRequestSignature, parseCertificateRequest } from '../certificate-request.ts';
import { LEGACY_SIGNER, validateSignerName } from '../signer-name.ts';
import { statusCertificateProblem } from './status-certificate.ts';
import { type Tolerance, toleranceFor } from './tolerance.ts';

const SECONDS_MIN = 600;
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];
/** Conditions that are final. */
const LASTING_CONDITIONS = ['Approved', 'Denied', 'Failed'];
const APPROVAL_CONDITIONS = ['Approved', 'Denied'];

export function validateCertificateSigningRequest(
  object: CertificateSigningRequest,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  validateObject(object, toleranceFor(object, undefined, context.requestVersion), errors);
}

/** The fields of each path: the certificate is for `status`, approval for `approval`. */
export interface UpdateRights {
  readonly certificate?: boolean;
  readonly approval?: boolean;
}

export function validateUpdateWith(rights: UpdateRights) {
  return (
    object: CertificateSigningRequest,
    old: CertificateSigningRequest,
    errors: FieldErrors,
    context: StrategyContext,
  ): void => {
    const tolerance = toleranceFor(object, old, context.requestVersion);
    validateObject(object, tolerance, errors);
    validateLastingConditions(object, old, rights, errors);
    const certificate = object.status.certificate ?? '';
    const before = old.status.certificate ?? '';
    if (certificate === before) return;
    const path = field('status', 'certificate');
    if (!rights.certificate) errors.forbidden(path, 'updates may not set certificate content');
    else if (before !== '' && !tolerance.resetCertificate)
      errors.forbidden(path, 'updates may not modify existing certificate content');
  };
}

function validateObject({ spec, status }: CertificateSigningRequest, tolerance: Tolerance, errors: FieldErrors): void {
  validateSpec(spec, tolerance, field('spec'), errors);
  validateConditions(status.conditions ?? [], tolerance, field('status', 'conditions'), errors);
  if (tolerance.arbitraryCertificate) return;
  const problem = statusCertificateProblem(status.certificate);
  if (problem !== undefined) errors.invalid(field('status', 'certificate'), '<certificate data>', problem);
}

function validateSpec(
  spec: CertificateSigningRequestSpec,
  tolerance: Tolerance,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateRequest(spec.request, path.child('request'), errors);
  const usages = spec.usages ?? [];
  const usagesPath = path.child('usages');
  if (usages.length === 0) errors.required(usagesPath, 'usages must be provided');
  if (!tolerance.unknownUsages) {
    for (const [i, usage] of usages.entries()) {
      if (!KeyUsageValues.includes(usage)) errors.notSupported(usagesPath.index(i), usage, KeyUsageValues);
    }
  }
  if (!tolerance.duplicateUsages) {
    const seen = new Set<string>();
    for (const [i, usage] of usages.entries()) {
      if (seen.has(usage)) errors.duplicate(usagesPath.index(i), usage);
      seen.add(usage);
    }
  }
  const signerPath = path.child('signerName');
  if (spec.signerName === LEGACY_SIGNER && !tolerance.legacySignerName) {
    errors.invalid(signerPath, spec.signerName, 'the legacy signerName is not allowed via this API version');
  } else {
    validateSignerName(spec.signerName, signerPath, errors);
  }
  const seconds = spec.expirationSeconds;
  if (seconds !== undefined && seconds < SECONDS_MIN) {
    errors.invalid(
      path.child('expirationSeconds'),
      seconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
  }
}

function validateRequest(base64: string | null, path: FieldPath, errors: FieldErrors): void {
  const bytes = base64 ? Buffer.from(base64, 'base64') : null;
  try {
    checkRequestSignature(parseCertificateRequest(bytes?.toString('latin1') ?? ''));
  } catch (error) {
    errors.invalid(path, goBytes(bytes), error instanceof Error ? error.message : String(error));
  }
}

function validateConditions(
  conditions: readonly CertificateSigningRequestCondition[],
  tolerance: Tolerance,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [i, { type, status }] of conditions.entries()) {
    const typePath = path.index(i).child('type');
    const statusPath = path.index(i).child('status');
    if (type === '' && !tolerance.emptyConditionTypes) errors.required(typePath);
    const statuses = LASTING_CONDITIONS.includes(type) ? ['True'] : CONDITION_STATUSES;
    if (status === '') errors.required(statusPath);
    else if (!statuses.includes(status)) errors.notSupported(statusPath, status, statuses);
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite !== undefined && seen.has(opposite) && !tolerance.bothApprovedAndDenied) {
      errors.invalid(typePath, type, 'Approved and Denied conditions are mutually exclusive');
    }
    if (seen.has(type) && !tolerance.duplicateConditionTypes) errors.duplicate(typePath, type);
    seen.add(type);
  }
}

function validateLastingConditions(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  rights: UpdateRights,
  errors: FieldErrors,
): void {
  const path = field('status', 'conditions');
  for (const type of LASTING_CONDITIONS) {
    if (conditionsOf(object, type).length < conditionsOf(old, type).length) {
      errors.forbidden(path, `updates may not remove a condition of type "${type}"`);
    }
  }
  if (rights.approval) return;
  for (const type of APPROVAL_CONDITIONS) {
    const now = conditionsOf(object, type);
    const before = conditionsOf(old, type);
    if (now.length > before.length) errors.forbidden(path, `updates may not add a condition of type "${type}"`);
    else if (now.length === before.length && !semanticDeepEqual(now, before)) {
      errors.forbidden(path, `updates may not modify a condition of type "${type}"`);
    }
  }
}

function conditionsOf({ status }: CertificateSigningRequest, type: string): CertificateSigningRequestCondition[] {
  return (status.conditions ?? []).filter((condition) => condition.type === type);
}
