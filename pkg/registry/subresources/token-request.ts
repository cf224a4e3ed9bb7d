import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const DEFAULT_SECONDS = 3600;
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;

/** The default of its version, before plugins see the request and again after they changed it. */
export function defaultTokenRequest({ spec }: TokenRequest): void {
  spec.expirationSeconds ??= DEFAULT_SECONDS;
}

/** Sets the remaining fields after admission, and clears those that only the server may set. */
export function completeTokenRequest(request: TokenRequest, audiences: readonly string[], now: string): void {
  defaultTokenRequest(request);
  request.metadata.creationTimestamp = now;
  if ((request.spec.audiences ?? []).length === 0) request.spec.audiences = [...audiences];
  request.status = { token: '', expirationTimestamp: null };
}

/** Throws 422. */
export function validateTokenRequest({ spec }: TokenRequest): void {
  const errors = new FieldErrors();
  const path = field('spec', 'expirationSeconds');
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < SECONDS_MIN) errors.invalid(path, seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > SECONDS_MAX) errors.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw invalid(KIND, '', errors);
}

/** Its name and namespace are those of the account, where it has any. Throws 422. */
export function matchAccount(request: TokenRequest, namespace: string, name: string): void {
  const errors = new FieldErrors();
  const { metadata } = request;
  if (metadata.name && metadata.name !== name)
    errors.invalid(field('metadata', 'name'), metadata.name, 'must match the service account name if specified');
  else if (metadata.namespace && metadata.namespace !== namespace)
    errors.invalid(
      field('metadata', 'namespace'),
      metadata.namespace,
      'must match the service account namespace if specified',
    );
  if (errors.length > 0) throw invalid(KIND, name, errors);
  metadata.name = name;
  metadata.namespace = namespace;
}
