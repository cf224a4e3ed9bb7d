import type { Volume } from '../../../generated/types/core-v1.ts';
import { isSeccompType, seccompProfile as baselineSeccompProfile } from './baseline.ts';
import {
  containersText,
  containersWhere,
  isExemptWindows,
  plural,
  quoted,
  settersText,
  sorted,
  type Check,
} from './check.ts';

/** Kinds of volumes that stay within the pod or belong to a claim. */
const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

export const allowPrivilegeEscalation: Check = (_metadata, spec, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const names = containersWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return names.length === 0
    ? undefined
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const capabilities: Check = (_metadata, spec, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const undropped = containersWhere(
    spec,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const forbidden = new Set<string>();
  const adding = containersWhere(spec, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE');
    for (const capability of bad) forbidden.add(capability);
    return bad.length > 0;
  });
  const details = [
    ...(undropped.length > 0
      ? [`${containersText(undropped)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [`${containersText(adding)} must not include ${quoted(sorted(forbidden))} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

export const volumes: Check = (_metadata, spec) => {
  const bad = (spec.volumes ?? []).flatMap((volume) => {
    const type = volumeType(volume);
    return VOLUMES.has(type) ? [] : [{ name: volume.name, type }];
  });
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(({ type }) => type));
  const names = bad.map(({ name }) => name);
  const detail = `${plural(names.length, 'volume')} ${quoted(names)} ${plural(names.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type')} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail };
};

/** New kinds are not among the allowed ones. */
function volumeType(volume: Volume): string {
  return Object.entries(volume).find(([field, value]) => field !== 'name' && value !== undefined)?.[0] ?? 'unknown';
}

export const runAsNonRoot: Check = (_metadata, spec) => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const setters = settersText(
    ofPod === false,
    containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const silent =
    ofPod === true ? [] : containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = (_metadata, spec) => {
  const isRoot = (user: number | undefined): boolean => Number(user ?? -1) === 0;
  const setters = settersText(
    isRoot(spec.securityContext?.runAsUser),
    containersWhere(spec, ({ securityContext }) => isRoot(securityContext?.runAsUser)),
  );
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

export const seccompProfile: Check = (metadata, spec, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const wrong = baselineSeccompProfile(metadata, spec, minor);
  if (wrong !== undefined) return wrong;
  const ofPod = spec.securityContext?.seccompProfile?.type;
  if (ofPod !== undefined && isSeccompType(ofPod)) return undefined;
  const silent = containersWhere(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};
