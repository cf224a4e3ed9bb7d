import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { FollowedObjects } from '../controller-context.ts';

const BY_CLAIM = 'persistentvolumeclaim';

/** Names of the claims that a pod uses, those of its ephemeral volumes among them. */
export function claimNamesOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

function claimKeys(pod: Pod): readonly string[] {
  return claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`);
}

/** Pods by the claims that they use. */
export class PodsByClaim {
  private readonly pods: FollowedObjects<Pod>;

  constructor(pods: FollowedObjects<Pod>) {
    this.pods = pods;
    pods.addIndex(BY_CLAIM, claimKeys);
  }

  using({ metadata }: PersistentVolumeClaim): Pod[] {
    return this.usingName(metadata.namespace!, metadata.name!);
  }

  /** Also where there is no such claim. */
  usingName(namespace: string, name: string): Pod[] {
    return this.pods.lister.listByIndex(BY_CLAIM, `${namespace}/${name}`);
  }
}
