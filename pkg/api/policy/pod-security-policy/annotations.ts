import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { validateLocalDescendingPath } from '../../core/pod-spec/local-path.ts';

/** Profiles that a policy sets on pods and allows them; they never had fields. */

const APP_ARMOR_DEFAULT = 'apparmor.security.beta.kubernetes.io/defaultProfileName';
const APP_ARMOR_ALLOWED = 'apparmor.security.beta.kubernetes.io/allowedProfileNames';
const SECCOMP_DEFAULT = 'seccomp.security.alpha.kubernetes.io/defaultProfileName';
const SECCOMP_ALLOWED = 'seccomp.security.alpha.kubernetes.io/allowedProfileNames';

const LOCALHOST = 'localhost/';
const SECCOMP_NAMES = ['runtime/default', 'docker/default', 'unconfined'];

/** `path` is that of the annotations. */
export function validatePolicyAnnotations(
  annotations: Record<string, string> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const value = (key: string): string => getKey<string>(annotations, key) ?? '';
  const appArmor = (profile: string, shown: string, key: string): void => {
    if (profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith(LOCALHOST))
      return;
    errors.invalid(path.key(key), shown, `invalid AppArmor profile name: ${goQuote(profile)}`);
  };
  appArmor(value(APP_ARMOR_DEFAULT), value(APP_ARMOR_DEFAULT), APP_ARMOR_DEFAULT);
  for (const profile of listed(value(APP_ARMOR_ALLOWED)))
    appArmor(profile, value(APP_ARMOR_ALLOWED), APP_ARMOR_ALLOWED);
  if (value(SECCOMP_DEFAULT) !== '') validateSeccomp(value(SECCOMP_DEFAULT), path.key(SECCOMP_DEFAULT), errors);
  for (const profile of listed(value(SECCOMP_ALLOWED)))
    if (profile !== '*') validateSeccomp(profile, path.key(SECCOMP_ALLOWED), errors);
}

function listed(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

function validateSeccomp(profile: string, path: FieldPath, errors: FieldErrors): void {
  if (SECCOMP_NAMES.includes(profile)) return;
  if (profile.startsWith(LOCALHOST)) validateLocalDescendingPath(profile.slice(LOCALHOST.length), path, errors);
  else errors.invalid(path, profile, 'must be a valid seccomp profile');
}
