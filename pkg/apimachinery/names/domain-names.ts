import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { isDns1123Label, isDns1123Subdomain, regexError } from './names.ts';

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const HTTP_PATH_REGEX = new RegExp(`^${HTTP_PATH}$`);

/** At least three segments, no dot at the end. */
export function validateFullyQualifiedName(path: FieldPath, name: string, errors: FieldErrors): void {
  if (name === '') return errors.required(path);
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return errors.invalid(path, name, problems.join(','));
  if (name.split('.').length < 3)
    errors.invalid(path, name, 'should be a domain with at least three segments separated by dots');
}

/** At least two segments; a dot at the end is fine. */
export function validateFullyQualifiedDomainName(path: FieldPath, name: string, errors: FieldErrors): void {
  if (name === '') return errors.required(path);
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const problems = isDns1123Subdomain(domain);
  if (problems.length > 0) return errors.invalid(path, domain, problems.join(','));
  const labels = domain.split('.');
  if (labels.length < 2)
    return errors.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  for (const label of labels) {
    const found = isDns1123Label(label);
    if (found.length > 0) return errors.invalid(path, label, found.join(','));
  }
}

/** `acme.io/foo`: a domain, then a path. */
export function validateDomainPrefixedPath(path: FieldPath, text: string, errors: FieldErrors): void {
  if (text === '') return errors.required(path);
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return errors.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const host = text.slice(0, slash);
  for (const problem of isDns1123Subdomain(host)) errors.invalid(path, host, problem);
  const rest = text.slice(slash + 1);
  if (!HTTP_PATH_REGEX.test(rest)) errors.invalid(path, rest, regexError('Invalid path', HTTP_PATH));
}
