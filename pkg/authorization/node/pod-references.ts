import { secretNames } from '../../api/core/pod-spec/secret-names.ts';
import type { Container, EphemeralContainer, Pod, Volume } from '../../generated/types/core-v1.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** Objects of its own namespace that a pod's node needs to run it. May name one twice. */
export interface PodReferences {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  readonly claims: readonly string[];
  readonly serviceAccounts: readonly string[];
  /** Claims of devices. */
  readonly resourceClaims: readonly string[];
}

const none: PodReferences = { secrets: [], configMaps: [], claims: [], serviceAccounts: [], resourceClaims: [] };

/** The references of a pod. Mirror pods are made by nodes themselves: their references give a node nothing. */
export function podReferences({ metadata, spec, status }: Pod): PodReferences {
  if (metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, MIRROR)) return none;
  const containers: readonly (Container | EphemeralContainer)[] = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  const volumes = spec.volumes ?? [];
  return {
    secrets: secretNames(spec),
    configMaps: named([...containers.flatMap(containerConfigMaps), ...volumes.flatMap(volumeConfigMaps)]),
    claims: named(
      volumes.map((volume) =>
        volume.ephemeral === undefined
          ? volume.persistentVolumeClaim?.claimName
          : `${metadata.name ?? ''}-${volume.name}`,
      ),
    ),
    serviceAccounts: named([spec.serviceAccountName]),
    // Claims made from templates, and for extended resources, are in the status.
    resourceClaims: named([
      ...(spec.resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName),
      ...(status.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName),
      status.extendedResourceClaimStatus?.resourceClaimName,
    ]),
  };
}

function named(names: readonly (string | undefined)[]): string[] {
  return names.filter((name): name is string => name !== undefined && name !== '');
}

function containerConfigMaps({ env, envFrom }: Container | EphemeralContainer): (string | undefined)[] {
  return [
    ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ];
}

function volumeConfigMaps({ configMap, projected }: Volume): (string | undefined)[] {
  return [configMap?.name, ...(projected?.sources ?? []).map((source) => source.configMap?.name)];
}
