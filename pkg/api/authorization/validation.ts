import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from '../../generated/types/authorization-v1.ts';

/** Checks the request of a review. The server's answer in `status` is not checked. */

const spec = field('spec');

interface Attributes {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

function validateAttributes(asked: Attributes, errors: FieldErrors): void {
  const { resourceAttributes, nonResourceAttributes } = asked;
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    errors.invalid(
      spec.child('nonResourceAttributes'),
      nonResourceAttributes,
      'cannot be specified in combination with resourceAttributes',
    );
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    errors.invalid(
      spec.child('resourceAttributes'),
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  }
}

function validateSubject(asked: { user?: string; groups?: string[] }, errors: FieldErrors): void {
  if ((asked.user ?? '') === '' && (asked.groups ?? []).length === 0) {
    errors.invalid(spec.child('user'), asked.user ?? '', 'at least one of user or group must be specified');
  }
}

/** Reviews have no identity: only the fields in `allowed`, and managed fields, may be in their metadata. */
function validateMetadata(metadata: ObjectMeta, allowed: readonly string[], detail: string, errors: FieldErrors): void {
  const given = Object.entries(metadata).some(
    ([name, value]) => value != null && value !== '' && name !== 'managedFields' && !allowed.includes(name),
  );
  if (given) errors.invalid(field('metadata'), metadata, detail);
}

export function validateSubjectAccessReview(review: SubjectAccessReview, errors: FieldErrors): void {
  validateAttributes(review.spec, errors);
  validateSubject(review.spec, errors);
  validateMetadata(review.metadata, [], 'must be empty', errors);
}

export function validateSelfSubjectAccessReview(review: SelfSubjectAccessReview, errors: FieldErrors): void {
  validateAttributes(review.spec, errors);
  validateMetadata(review.metadata, [], 'must be empty', errors);
}

export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview, errors: FieldErrors): void {
  const { resourceAttributes, nonResourceAttributes } = review.spec;
  validateAttributes(review.spec, errors);
  validateSubject(review.spec, errors);
  validateMetadata(review.metadata, ['namespace'], 'must be empty except for namespace', errors);
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== review.metadata.namespace) {
    errors.invalid(
      spec.child('resourceAttributes', 'namespace'),
      resourceAttributes.namespace ?? '',
      'must match metadata.namespace',
    );
  }
  if (nonResourceAttributes !== undefined) {
    errors.invalid(spec.child('nonResourceAttributes'), nonResourceAttributes, 'disallowed on this kind of request');
  }
}
