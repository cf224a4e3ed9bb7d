import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../apimachinery/names/names.ts';

export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
export const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

const DOMAIN_BYTES_MAX = 253;
const NAME_BYTES_MAX = DOMAIN_BYTES_MAX + 1 + 253 + 63 + 1;

/** `example.com/signer-name`: a domain of at least two labels, then a path of labels separated by dots. */
export function validateSignerName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return errors.required(path, 'signerName must be provided');
  const segments = name.split('/');
  const [domain = '', rest = ''] = segments;
  if (segments.length !== 2) {
    return errors.invalid(
      path,
      name,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  }
  if (Buffer.byteLength(domain) > DOMAIN_BYTES_MAX) errors.tooLong(path, domain, DOMAIN_BYTES_MAX);
  validateLabels(domain, isDns1123Label, path, errors);
  if (!domain.includes('.'))
    errors.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  validateLabels(rest, isDns1123Subdomain, path, errors);
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) errors.tooLong(path, name, NAME_BYTES_MAX);
}

/** Only the first bad label is named: more would repeat the error. */
function validateLabels(
  segment: string,
  check: (label: string) => string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const label of segment.split('.')) {
    const problems = check(label);
    for (const problem of problems) errors.invalid(path, segment, `validating label ${goQuote(label)}: ${problem}`);
    if (problems.length > 0) return;
  }
}
