import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { CSIDriver } from '../../generated/types/storage-v1.ts';

/** One volume on one node. */
export interface WantedAttachment {
  readonly driver: string;
  readonly handle: string;
  readonly volume: PersistentVolume;
  /** Pods of the node that use it. */
  readonly pods: readonly Pod[];
}

export interface StorageView {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly driver: (name: string) => CSIDriver | undefined;
}

/** Set on nodes whose volumes the controller attaches, and not their own agent. */
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[MANAGED] === 'true';
}

/** Whether an operator said that the node is down: what is attached there is free to go. */
export function isOutOfService({ spec }: Node): boolean {
  return spec.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}

export function isHealthy({ status }: Node): boolean {
  return status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;
}

/** As nodes name a volume in `volumesAttached` and `volumesInUse`. */
export function attachedName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

/** What the pods of one node need there, by the name of the volume. */
export function wantedAttachments(pods: readonly Pod[], view: StorageView): ReadonlyMap<string, WantedAttachment> {
  const wanted = new Map<string, { driver: string; handle: string; volume: PersistentVolume; pods: Pod[] }>();
  for (const pod of pods) {
    if (!needsVolumes(pod)) continue;
    for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined && ephemeral === undefined) continue;
      const claimName = persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${name}`;
      const claim = view.claim(pod.metadata.namespace!, claimName);
      if (claim?.status.phase !== 'Bound' || (claim.spec.volumeName ?? '') === '') continue;
      const volume = view.volume(claim.spec.volumeName!);
      const csi = volume?.spec.csi;
      if (volume === undefined || csi === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid) continue;
      // A driver that is not registered is attached like any other.
      if (view.driver(csi.driver)?.spec.attachRequired === false) continue;
      const known = wanted.get(volume.metadata.name!);
      if (known === undefined)
        wanted.set(volume.metadata.name!, { driver: csi.driver, handle: csi.volumeHandle, volume, pods: [pod] });
      else known.pods.push(pod);
    }
  }
  return wanted;
}

/** Ended pods keep nothing; those that are being deleted do until their containers are gone. */
export function needsVolumes({ status }: Pod): boolean {
  return status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

/** Whether the volume may be on one node alone. */
export function isExclusive({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length > 0 && !accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}
