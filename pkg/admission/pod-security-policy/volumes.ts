import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import type { FieldErrors } from '../../apimachinery/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/field-path.ts';
import type { Pod, Volume } from '../../generated/types/core-v1.ts';
import type { AllowedHostPath, PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';
import { isTokenVolume } from '../service-account/token-volume.ts';

const ALL = '*';

export function checkVolumes(policy: PodSecurityPolicySpec, pod: Pod, errors: FieldErrors): void {
  for (const [i, volume] of (pod.spec.volumes ?? []).entries()) {
    const path = field('spec', 'volumes').index(i);
    const type = volumeType(volume);
    if (!allowsType(policy, type, volume)) errors.invalid(path, type, `${type} volumes are not allowed to be used`);
    else if (volume.hostPath !== undefined) checkHostPath(policy, pod, volume, path, errors);
    else if (volume.flexVolume !== undefined) checkDriver(policy, volume.flexVolume.driver, path, errors);
  }
}

/** As policies name it; kinds that came later have the name of their field, and are not in older policies' lists. */
function volumeType(volume: Volume): string {
  const type = Object.entries(volume).find(([name, value]) => name !== 'name' && value !== undefined)?.[0] ?? 'emptyDir';
  return type === 'cephfs' ? 'cephFS' : type;
}

/** Leave for secrets is leave for the token that the server itself mounts. */
function allowsType({ volumes = [] }: PodSecurityPolicySpec, type: string, volume: Volume): boolean {
  return volumes.includes(ALL) || volumes.includes(type) || (volumes.includes('secret') && isTokenVolume(volume));
}

function checkHostPath({ allowedHostPaths = [] }: PodSecurityPolicySpec, { spec }: Pod, { name, hostPath }: Volume, path: FieldPath, errors: FieldErrors): void {
  if (allowedHostPaths.length === 0) return;
  const matching = allowedHostPaths.filter((allowed) => isBelow(hostPath!.path, allowed));
  if (matching.length === 0) errors.invalid(path.child('hostPath', 'pathPrefix'), hostPath!.path, 'is not allowed to be used');
  if (matching.length === 0 || matching.some(({ readOnly }) => readOnly !== true)) return;
  for (const [{ volumeMounts = [] }, containerPath] of eachContainer(spec, field('spec'))) {
    for (const [i, mount] of volumeMounts.entries()) {
      if (mount.name === name && mount.readOnly !== true) errors.invalid(containerPath.child('volumeMounts').index(i).child('readOnly'), false, 'must be read-only');
    }
  }
}

function isBelow(path: string, { pathPrefix = '' }: AllowedHostPath): boolean {
  const trimmed = (text: string): string => text.replace(/\/+$/, '');
  const [own, allowed] = [trimmed(path), trimmed(pathPrefix)];
  return own === allowed || own.startsWith(`${allowed}/`);
}

function checkDriver({ allowedFlexVolumes = [] }: PodSecurityPolicySpec, driver: string, path: FieldPath, errors: FieldErrors): void {
  if (allowedFlexVolumes.length === 0 || allowedFlexVolumes.some((allowed) => allowed.driver === driver)) return;
  errors.invalid(path.child('driver'), driver, 'Flexvolume driver is not allowed to be used');
}
