import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../../generated/types/admissionregistration-v1.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateQualifiedName } from '../../validation/names.ts';
import { validatePolicySpec } from '../policy-validation.ts';

const AUDIT_ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_BYTES_MAX = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

export function validateValidatingAdmissionPolicy(
  { metadata, spec }: ValidatingAdmissionPolicy,
  errors: FieldErrors,
): void {
  const path = field('spec');
  validatePolicySpec(spec, path, errors);
  const validations = spec.validations ?? [];
  const annotations = spec.auditAnnotations ?? [];
  if (validations.length + annotations.length === 0) {
    errors.required(path.child('validations'), NOTHING_TO_DO);
    errors.required(path.child('auditAnnotations'), NOTHING_TO_DO);
    return;
  }
  for (const [i, validation] of validations.entries())
    validateValidation(validation, path.child('validations').index(i), errors);
  validateAuditAnnotations(annotations, metadata.name ?? '', path.child('auditAnnotations'), errors);
}

export function validateValidatingAdmissionPolicyStatus(
  { status }: ValidatingAdmissionPolicy,
  errors: FieldErrors,
): void {
  const path = field('status');
  const warningsPath = path.child('typeChecking', 'expressionWarnings');
  for (const [i, { warning, fieldRef }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === '') errors.required(warningsPath.index(i).child('warning'));
    if (fieldRef.trim() === '') errors.required(warningsPath.index(i).child('fieldRef'));
  }
  validateConditions(status.conditions, path.child('conditions'), errors);
}

function validateValidation(
  { expression, message = '', messageExpression = '', reason }: Validation,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (expression.trim() === '') errors.required(path.child('expression'), 'expression is not specified');
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified');
  }
  const text = message.trim();
  if (message !== '' && text === '')
    errors.invalid(path.child('message'), message, 'message must be non-empty if specified');
  else if (/[\n\r]/.test(text)) errors.invalid(path.child('message'), message, 'message must not contain line breaks');
  if (reason !== undefined && !REASONS.includes(reason)) errors.notSupported(path.child('reason'), reason, REASONS);
}

function validateAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policyName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (annotations.length > AUDIT_ANNOTATIONS_MAX) {
    errors.invalid(
      path,
      goText('[]admissionregistration.AuditAnnotation{}'),
      `must not have more than ${AUDIT_ANNOTATIONS_MAX} auditAnnotations`,
    );
  }
  const keys = new Set<string>();
  for (const [i, { key, valueExpression }] of annotations.entries()) {
    const keyPath = path.index(i).child('key');
    if (policyName === '') errors.invalid(keyPath, key, 'requires metadata.name be non-empty');
    else validateQualifiedName(`${policyName}/${key}`, keyPath, errors);
    const valuePath = path.index(i).child('valueExpression');
    const value = valueExpression.trim();
    if (value === '') errors.required(valuePath, 'valueExpression is not specified');
    else if (Buffer.byteLength(value) > VALUE_EXPRESSION_BYTES_MAX) {
      errors.required(valuePath, `must not exceed ${VALUE_EXPRESSION_BYTES_MAX} bytes in length`);
    }
    if (keys.has(key)) errors.duplicate(keyPath, key);
    keys.add(key);
  }
}
