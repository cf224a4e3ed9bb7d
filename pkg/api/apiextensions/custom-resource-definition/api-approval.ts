import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { CustomResourceDefinition } from '../../../generated/types/apiextensions-v1.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const PROTECTED_GROUP = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Groups of the Kubernetes community need the URL of a review, or a statement that there was none (KEP 1111). */
export function validateApiApproval(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
): void {
  if (!PROTECTED_GROUP.test(object.spec.group)) return;
  const approval = approvalOf(object);
  // Objects that were stored without one may stay without.
  if (old !== undefined && approvalOf(old) === approval) return;
  const path = field('metadata', 'annotations').key(ANNOTATION);
  const words = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
  if (approval === 'missing') errors.required(path, `${words}, ${SEE}`);
  if (approval === 'invalid') {
    errors.invalid(
      path,
      annotationOf(object),
      `${words} with either a URL or a reason starting with "unapproved", ${SEE}`,
    );
  }
}

function annotationOf({ metadata }: CustomResourceDefinition): string {
  return getKey<string>(metadata.annotations, ANNOTATION) ?? '';
}

function approvalOf(object: CustomResourceDefinition): Approval {
  const text = annotationOf(object);
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(text) ? 'approved' : 'invalid';
}
