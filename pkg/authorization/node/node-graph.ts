import type { Node, PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import type { ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import type { ObjectIndex } from '../follow-objects.ts';
import { CountedLinks } from './counted-links.ts';
import { podReferences } from './pod-references.ts';
import { volumeSecrets } from './volume-secrets.ts';

/** Kinds of objects that nodes reach through others. */
export type ReachedKind =
  | 'secrets'
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'serviceaccounts'
  | 'volumeattachments'
  | 'resourceclaims'
  | 'resourceslices';

interface KnownVolume {
  readonly claim: string | undefined;
  readonly secrets: readonly string[];
}

/**
 * The objects that each node may read because its pods, or volumes attached to it, refer to them: pod to secret, config
 * map, claims and service account; claim to volume; volume to secret. Kept in the order of the store's changes; read
 * without a walk.
 */
export class NodeGraph {
  /** From an object to the nodes that reach it directly. */
  private readonly links = new CountedLinks();
  /** From a secret to the volumes that need it. */
  private readonly secretVolumes = new CountedLinks();
  private readonly volumes = new Map<string, KnownVolume>();

  readonly pods: ObjectIndex<Pod> = this.linking((pod) => {
    const node = pod.spec.nodeName ?? '';
    const namespace = pod.metadata.namespace ?? '';
    if (node === '') return [];
    const { secrets, configMaps, claims, serviceAccounts, resourceClaims } = podReferences(pod);
    const targets = [
      ...secrets.map((name) => targetKey('secrets', namespace, name)),
      ...configMaps.map((name) => targetKey('configmaps', namespace, name)),
      ...claims.map((name) => targetKey('persistentvolumeclaims', namespace, name)),
      ...serviceAccounts.map((name) => targetKey('serviceaccounts', namespace, name)),
      ...resourceClaims.map((name) => targetKey('resourceclaims', namespace, name)),
    ];
    return targets.map((target) => [target, node]);
  });

  readonly attachments: ObjectIndex<VolumeAttachment> = this.linking(({ metadata, spec }) =>
    spec.nodeName === '' ? [] : [[targetKey('volumeattachments', '', metadata.name ?? ''), spec.nodeName]],
  );

  readonly resourceSlices: ObjectIndex<ResourceSlice> = this.linking(({ metadata, spec }) =>
    spec.nodeName === undefined ? [] : [[targetKey('resourceslices', '', metadata.name ?? ''), spec.nodeName]],
  );

  /** Nodes whose configuration is a config map (feature DynamicNodeAgentConfig) read it. */
  readonly nodes: ObjectIndex<Node> = this.linking(({ metadata, spec }) => {
    const source = spec.configSource?.configMap;
    return source ? [[targetKey('configmaps', source.namespace, source.name), metadata.name ?? '']] : [];
  });

  readonly persistentVolumes: ObjectIndex<PersistentVolume> = {
    clear: () => {
      this.volumes.clear();
      this.secretVolumes.clear();
    },
    put: (_key, volume) => {
      const name = volume.metadata.name ?? '';
      this.removeVolume(name);
      const { claimRef } = volume.spec;
      const claim =
        claimRef === undefined
          ? undefined
          : targetKey('persistentvolumeclaims', claimRef.namespace ?? '', claimRef.name ?? '');
      // A volume without a claim is never mounted.
      const secrets =
        claim === undefined
          ? []
          : volumeSecrets(volume).map((secret) => targetKey('secrets', secret.namespace, secret.name));
      for (const secret of secrets) this.secretVolumes.add(secret, name);
      this.volumes.set(name, { claim, secrets });
    },
    remove: (key) => this.removeVolume(key.slice(key.lastIndexOf('/') + 1)),
  };

  /** Whether the node reaches the object. */
  reaches(node: string, kind: ReachedKind, namespace: string, name: string): boolean {
    if (kind === 'persistentvolumes') return this.reachesVolume(node, name);
    const target = targetKey(kind, namespace, name);
    if (this.links.has(target, node)) return true;
    if (kind !== 'secrets') return false;
    for (const volume of this.secretVolumes.of(target)) if (this.reachesVolume(node, volume)) return true;
    return false;
  }

  private reachesVolume(node: string, name: string): boolean {
    const claim = this.volumes.get(name)?.claim;
    return claim !== undefined && this.links.has(claim, node);
  }

  private removeVolume(name: string): void {
    for (const secret of this.volumes.get(name)?.secrets ?? []) this.secretVolumes.remove(secret, name);
    this.volumes.delete(name);
  }

  /** The index of a resource whose objects link others to nodes. */
  private linking<T extends Pod | VolumeAttachment | Node | ResourceSlice>(
    linksOf: (object: T) => (readonly [target: string, node: string])[],
  ): ObjectIndex<T> {
    const known = new Map<string, readonly (readonly [target: string, node: string])[]>();
    const unlink = (key: string): void => {
      for (const [target, node] of known.get(key) ?? []) this.links.remove(target, node);
      known.delete(key);
    };
    return {
      clear: () => {
        for (const key of known.keys()) unlink(key);
      },
      put: (key, object) => {
        unlink(key);
        const links = linksOf(object);
        if (links.length === 0) return;
        for (const [target, node] of links) this.links.add(target, node);
        known.set(key, links);
      },
      remove: unlink,
    };
  }
}

function targetKey(kind: ReachedKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
