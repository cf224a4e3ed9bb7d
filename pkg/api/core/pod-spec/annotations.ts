import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { PodSpec, SeccompProfile } from '../../../generated/types/core-v1.ts';
import { eachContainer } from './each-container.ts';
import { validateLocalDescendingPath } from './local-path.ts';
import { validateTolerations } from './tolerations.ts';
import { tolerationsFromJson } from './tolerations-json.ts';

/** Annotations of pods that act like fields: most are older than the field. */

export const MIRROR_POD = 'kubernetes.io/config.mirror';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const LOCALHOST = 'localhost/';
const SECCOMP_RUNTIME_DEFAULTS = ['runtime/default', 'docker/default'];

type Annotations = Record<string, string>;

/** `path` is that of the annotations. */
export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (annotations === undefined) return;
  const mirror = getKey<string>(annotations, MIRROR_POD);
  if (mirror !== undefined && !spec.nodeName)
    errors.invalid(path.key(MIRROR_POD), mirror, 'must set spec.nodeName if mirror pod annotation is set');
  validateTolerationsAnnotation(getKey<string>(annotations, TOLERATIONS), path, errors);
  const cost = getKey<string>(annotations, DELETION_COST);
  if (cost !== undefined && !isInt32(cost)) errors.invalid(path.key(DELETION_COST), cost, 'must be a 32bit integer');
  const seccomp = getKey<string>(annotations, SECCOMP_POD);
  if (seccomp !== undefined) validateSeccompText(seccomp, path.child(SECCOMP_POD), errors);
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(SECCOMP_CONTAINER_PREFIX)) validateSeccompText(value, path.child(key), errors);
  }
  validateAppArmorAnnotations(annotations, spec, path, errors);
}

/** Whole numbers without a plus sign or leading zeros. */
function isInt32(text: string): boolean {
  return /^-?[0-9]{1,20}$/.test(text) && !/^0./.test(text) && Number(text) >= -2147483648 && Number(text) <= 2147483647;
}

function validateTolerationsAnnotation(text: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (text === undefined || text === '') return;
  try {
    validateTolerations(tolerationsFromJson(text), path.child(TOLERATIONS), errors);
  } catch (e) {
    errors.invalid(path, TOLERATIONS, (e as Error).message);
  }
}

function validateSeccompText(profile: string, path: FieldPath, errors: FieldErrors): void {
  if (SECCOMP_RUNTIME_DEFAULTS.includes(profile) || profile === 'unconfined') return;
  if (profile.startsWith(LOCALHOST)) validateLocalDescendingPath(profile.slice(LOCALHOST.length), path, errors);
  else errors.invalid(path, profile, 'must be a valid seccomp profile');
}

function validateAppArmorAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  let names: Set<string> | undefined;
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(APP_ARMOR_PREFIX)) continue;
    names ??= new Set([...eachContainer(spec, path)].map(([container]) => container.name));
    const name = key.slice(APP_ARMOR_PREFIX.length);
    if (!names.has(name)) errors.invalid(path.key(key), name, 'container not found');
    if (profile !== '' && profile !== 'runtime/default' && profile !== 'unconfined' && !profile.startsWith(LOCALHOST)) {
      errors.invalid(path.key(key), profile, `invalid AppArmor profile name: ${goQuote(profile)}`);
    }
  }
}

/** Where a pod has both annotation and field for its seccomp profiles, they are equal. `path` is the spec's. */
export function validateSeccompAgreement(meta: ObjectMeta, spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const { annotations } = meta;
  if (annotations === undefined) return;
  checkAgreement(getKey<string>(annotations, SECCOMP_POD), spec.securityContext?.seccompProfile, path, errors);
  for (const [container, at] of eachContainer(spec, path)) {
    checkAgreement(
      getKey<string>(annotations, SECCOMP_CONTAINER_PREFIX + container.name),
      container.securityContext?.seccompProfile,
      at,
      errors,
    );
  }
}

function checkAgreement(
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
  owner: FieldPath,
  errors: FieldErrors,
): void {
  if (annotation === undefined || profile === undefined) return;
  const path = owner.child('securityContext', 'seccompProfile');
  const agrees = {
    Unconfined: annotation === 'unconfined',
    RuntimeDefault: SECCOMP_RUNTIME_DEFAULTS.includes(annotation),
    Localhost: annotation.startsWith(LOCALHOST),
  }[profile.type];
  if (agrees === false) errors.forbidden(path.child('type'), 'seccomp type in annotation and field must match');
  else if (agrees && profile.type === 'Localhost' && annotation.slice(LOCALHOST.length) !== profile.localhostProfile) {
    errors.forbidden(path.child('localhostProfile'), 'seccomp profile in annotation and field must match');
  }
}

/** Annotations that containers have been started with stay unchanged. */
export function validatePodAnnotationsUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const annotations = meta.annotations ?? {};
  const before = old.annotations ?? {};
  for (const [key, value] of Object.entries(before)) {
    if (getKey(annotations, key) === value) continue;
    if (key.startsWith(APP_ARMOR_PREFIX))
      errors.forbidden(path.key(key), 'may not remove or update AppArmor annotations');
    if (key === MIRROR_POD) errors.forbidden(path.key(key), 'may not remove or update mirror pod annotation');
  }
  for (const key of Object.keys(annotations)) {
    if (Object.hasOwn(before, key)) continue;
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.forbidden(path.key(key), 'may not add AppArmor annotations');
    if (key === MIRROR_POD) errors.forbidden(path.key(key), 'may not add mirror pod annotation');
  }
  validatePodAnnotations(meta.annotations, spec, path, errors);
}
