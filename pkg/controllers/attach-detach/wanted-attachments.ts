import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { CSIDriver } from '../../generated/types/storage-v1.ts';
import { hasEnded } from '../owned/pod-state.ts';

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

export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[MANAGED] === 'true';
}

/** As nodes name a volume in `volumesAttached` and `volumesInUse`. */
export function attachedName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

/** What the pods of one node need there, by the name of the volume. */
export function wantedAttachments(pods: readonly Pod[], view: StorageView): ReadonlyMap<string, WantedAttachment> {
  const wanted = new Map<string, { driver: string; handle: string; volume: PersistentVolume; pods: Pod[] }>();
  for (const pod of pods) {
    // Those that are being deleted keep their volumes until their containers are gone.
    if (hasEnded(pod)) continue;
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

/** Whether the volume may be on one node alone. */
export function isExclusive({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length > 0 && !accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}
