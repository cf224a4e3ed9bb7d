import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { Pod, Volume } from '../../generated/types/core-v1.ts';
import type { AllowedHostPath, PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';
import { isTokenVolume } from '../service-account/token-volume.ts';

const ALL = '*';

export function checkVolumes(policy: PodSecurityPolicySpec, pod: Pod, errors: FieldErrors): void {
  const hasHostPaths =
    (policy.allowedHostPaths ?? []).length > 0 &&
    (pod.spec.volumes ?? []).some(({ hostPath }) => hostPath !== undefined);
  const writable = hasHostPaths ? writableMounts(pod) : new Map<string, FieldPath[]>();
  for (const [i, volume] of (pod.spec.volumes ?? []).entries()) {
    const path = field('spec', 'volumes').index(i);
    const type = volumeType(volume);
    if (!allowsType(policy, type, volume)) errors.invalid(path, type, `${type} volumes are not allowed to be used`);
    else if (volume.hostPath !== undefined)
      checkHostPath(policy, volume, writable.get(volume.name) ?? [], path, errors);
    else if (volume.flexVolume !== undefined) checkDriver(policy, volume.flexVolume.driver, path, errors);
  }
}

/**
 * By their names in policies; kinds that came later have the name of their field, and are not in older policies' lists.
 */
function volumeType(volume: Volume): string {
  const type =
    Object.entries(volume).find(([name, value]) => name !== 'name' && value !== undefined)?.[0] ?? 'emptyDir';
  return type === 'cephfs' ? 'cephFS' : type;
}

/** Permission for secrets is permission for the token that the server itself mounts. */
function allowsType({ volumes = [] }: PodSecurityPolicySpec, type: string, volume: Volume): boolean {
  return volumes.includes(ALL) || volumes.includes(type) || (volumes.includes('secret') && isTokenVolume(volume));
}

function checkHostPath(
  { allowedHostPaths = [] }: PodSecurityPolicySpec,
  { hostPath }: Volume,
  writable: readonly FieldPath[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (allowedHostPaths.length === 0) return;
  const matching = allowedHostPaths.filter((allowed) => isBelow(hostPath!.path, allowed));
  if (matching.length === 0)
    errors.invalid(path.child('hostPath', 'pathPrefix'), hostPath!.path, 'is not allowed to be used');
  if (matching.length === 0 || matching.some(({ readOnly }) => readOnly !== true)) return;
  for (const mount of writable) errors.invalid(mount.child('readOnly'), false, 'must be read-only');
}

/** Where each volume is mounted for writing, by its name: one pass over all mounts, not one for each volume. */
function writableMounts({ spec }: Pod): Map<string, FieldPath[]> {
  const found = new Map<string, FieldPath[]>();
  for (const [{ volumeMounts = [] }, containerPath] of eachContainer(spec, field('spec'))) {
    for (const [i, { name, readOnly }] of volumeMounts.entries()) {
      if (readOnly === true) continue;
      const path = containerPath.child('volumeMounts').index(i);
      const known = found.get(name);
      if (known === undefined) found.set(name, [path]);
      else known.push(path);
    }
  }
  return found;
}

function isBelow(path: string, { pathPrefix = '' }: AllowedHostPath): boolean {
  const [own, allowed] = [withoutEndSlashes(path), withoutEndSlashes(pathPrefix)];
  return own === allowed || own.startsWith(`${allowed}/`);
}

/** A regular expression would scan each run of slashes again and again. */
function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end--;
  return text.slice(0, end);
}

function checkDriver(
  { allowedFlexVolumes = [] }: PodSecurityPolicySpec,
  driver: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (allowedFlexVolumes.length === 0 || allowedFlexVolumes.some((allowed) => allowed.driver === driver)) return;
  errors.invalid(path.child('driver'), driver, 'Flexvolume driver is not allowed to be used');
}
