import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { type JobSpec, PodReplacementPolicyValues } from '../../../generated/types/batch-v1.ts';
import { reportProblems } from '../../validation/names.ts';

const MANAGED_BY_BYTES_MAX = 63;

const URL_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** The responsible controller is named `domain/path`. */
export function validateManagedBy(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (name === undefined) return;
  const slash = name.indexOf('/');
  if (name === '') errors.required(path);
  else if (slash <= 0 || slash === name.length - 1)
    errors.invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else {
    const [domain, rest] = [name.slice(0, slash), name.slice(slash + 1)];
    reportProblems(isDns1123Subdomain(domain), domain, path, errors);
    if (!new RegExp(`^${URL_PATH}$`).test(rest))
      errors.invalid(path, rest, `Invalid path (regex used for validation is '${URL_PATH}')`);
  }
  if (Buffer.byteLength(name) > MANAGED_BY_BYTES_MAX) errors.tooLong(path, name, MANAGED_BY_BYTES_MAX);
}

/** With rules about failed pods, a pod counts as failed only when it is: replacements wait for that. */
export function validateReplacementPolicy(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const supported = spec.podFailurePolicy === undefined ? PodReplacementPolicyValues : ['Failed'];
  if (!supported.includes(policy)) errors.notSupported(path, policy, supported);
}
