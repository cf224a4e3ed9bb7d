import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { Container, Pod, SeccompProfile } from '../../generated/types/core-v1.ts';
import type { PodSecurityPolicy } from '../../generated/types/policy-v1beta1.ts';

/**
 * Seccomp and AppArmor profiles, which policies name in annotations. Pods name theirs in annotations or, since later
 * releases, in fields: both count, so that the newer way does not bypass a policy.
 */

const SECCOMP_DEFAULT = 'seccomp.security.alpha.kubernetes.io/defaultProfileName';
const SECCOMP_ALLOWED = 'seccomp.security.alpha.kubernetes.io/allowedProfileNames';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR_DEFAULT = 'apparmor.security.beta.kubernetes.io/defaultProfileName';
const APP_ARMOR_ALLOWED = 'apparmor.security.beta.kubernetes.io/allowedProfileNames';
const APP_ARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const RUNTIME_DEFAULT = 'runtime/default';
/** The old name of the seccomp profile is read as the new one. */
const DEFAULT_NAMES = [RUNTIME_DEFAULT, 'docker/default'];
const LOCALHOST = 'localhost/';

interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

/**
 * Gives a pod without a seccomp profile the policy's default, as an annotation for old nodes and as a field for new
 * ones.
 */
export function setDefaultSeccomp(policy: PodSecurityPolicy, pod: Pod): void {
  const profile = annotationOf(policy, SECCOMP_DEFAULT);
  if (profile === '' || podSeccomp(pod).length > 0) return;
  annotate(pod, SECCOMP_POD, profile);
  pod.spec.securityContext = { ...pod.spec.securityContext, seccompProfile: seccompField(profile) };
}

export function checkPodSeccomp(policy: PodSecurityPolicy, pod: Pod, errors: FieldErrors): void {
  checkSeccomp(policy, podSeccomp(pod), SECCOMP_POD, errors);
}

export function checkContainerSeccomp(
  policy: PodSecurityPolicy,
  pod: Pod,
  container: Container,
  errors: FieldErrors,
): void {
  const key = `${SECCOMP_CONTAINER}${container.name}`;
  const own = profilesOf(pod, key, container.securityContext?.seccompProfile);
  checkSeccomp(policy, own.length > 0 ? own : podSeccomp(pod), key, errors);
}

export function setDefaultAppArmor(policy: PodSecurityPolicy, pod: Pod, container: Container): void {
  const profile = annotationOf(policy, APP_ARMOR_DEFAULT);
  if (profile !== '' && appArmorOf(pod, container).length === 0)
    annotate(pod, `${APP_ARMOR_CONTAINER}${container.name}`, profile);
}

export function checkAppArmor(policy: PodSecurityPolicy, pod: Pod, container: Container, errors: FieldErrors): void {
  const listed = getKey<string>(policy.metadata.annotations, APP_ARMOR_ALLOWED);
  if (listed === undefined) return;
  const path = field('pod', 'metadata', 'annotations').key(`${APP_ARMOR_CONTAINER}${container.name}`);
  const profiles = appArmorOf(pod, container);
  if (profiles.length === 0) errors.forbidden(path, 'AppArmor profile must be set');
  for (const profile of profiles) {
    if (!listed.split(',').includes(profile))
      errors.forbidden(path, `${profile} is not an allowed profile. Allowed values: ${goQuote(listed)}`);
  }
}

function checkSeccomp(policy: PodSecurityPolicy, profiles: readonly string[], key: string, errors: FieldErrors): void {
  const listed = annotationOf(policy, SECCOMP_ALLOWED);
  const allowed = listed === '' ? [] : listed.split(',');
  if (allowed.includes('*')) return;
  const path = field('pod', 'metadata', 'annotations').key(key);
  if (allowed.length === 0) {
    if (profiles.length > 0) errors.forbidden(path, 'seccomp may not be set');
    return;
  }
  if (allowed.some((name) => DEFAULT_NAMES.includes(name))) allowed.push(...DEFAULT_NAMES);
  for (const profile of profiles.length > 0 ? profiles : ['']) {
    if (!allowed.includes(profile))
      errors.forbidden(path, `${profile} is not an allowed seccomp profile. Valid values are ${listed}`);
  }
}

function podSeccomp(pod: Pod): string[] {
  return profilesOf(pod, SECCOMP_POD, pod.spec.securityContext?.seccompProfile);
}

function appArmorOf(pod: Pod, { name, securityContext }: Container): string[] {
  return profilesOf(
    pod,
    `${APP_ARMOR_CONTAINER}${name}`,
    securityContext?.appArmorProfile ?? pod.spec.securityContext?.appArmorProfile,
  );
}

/** By annotation and by field: two, where these disagree. */
function profilesOf({ metadata }: Pod, annotation: string, profile: Profile | undefined): string[] {
  const names = new Set([getKey<string>(metadata.annotations, annotation) ?? '', nameOf(profile)]);
  names.delete('');
  return [...names];
}

/** A field's profile by its name in annotations; empty where there is none. */
function nameOf(profile: Profile | undefined): string {
  switch (profile?.type) {
    case undefined:
      return '';
    case 'RuntimeDefault':
      return RUNTIME_DEFAULT;
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost':
      return `${LOCALHOST}${profile.localhostProfile ?? ''}`;
    default:
      return String(profile?.type);
  }
}

function seccompField(name: string): SeccompProfile {
  if (name.startsWith(LOCALHOST)) return { type: 'Localhost', localhostProfile: name.slice(LOCALHOST.length) };
  return { type: name === 'unconfined' ? 'Unconfined' : 'RuntimeDefault' };
}

function annotationOf({ metadata }: PodSecurityPolicy, key: string): string {
  return getKey<string>(metadata.annotations, key) ?? '';
}

/**
 * In place: the pod is the caller's own copy, and a copy of the annotations for each container would be quadratic work.
 */
function annotate({ metadata }: Pod, key: string, value: string): void {
  metadata.annotations ??= {};
  setKey(metadata.annotations, key, value);
}
