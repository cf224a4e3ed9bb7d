import type { Node, PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import type { ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { AuthorizationObserver } from '../authorization-observer.ts';
import type { NodeAuthorizerParts } from './authorizer.ts';
import { LazyFollower } from './lazy-follower.ts';
import { NodeGraph } from './node-graph.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ObjectIndex } from '../follow-objects.ts';

/** A graph of a server's stores, kept from the first question on for as long as the server runs. */
export function followGraph(
  stores: StoreAccess,
  observer: AuthorizationObserver,
  onError: (error: unknown, where: string) => void,
): Pick<NodeAuthorizerParts, 'graph' | 'ready'> {
  const graph = new NodeGraph();
  const told = (error: unknown): void => onError(error, 'node authorizer');
  const followers = [
    new LazyFollower<Pod>(stores('pods').cache, observedIndex(graph.pods, 'Pod', observer), told),
    new LazyFollower<PersistentVolume>(
      stores('persistentvolumes').cache,
      observedIndex(graph.persistentVolumes, 'PV', observer),
      told,
    ),
    new LazyFollower<VolumeAttachment>(
      stores('volumeattachments.storage.k8s.io').cache,
      observedIndex(graph.attachments, 'VolumeAttachment', observer),
      told,
    ),
    new LazyFollower<ResourceSlice>(
      stores('resourceslices.resource.k8s.io').cache,
      observedIndex(graph.resourceSlices, 'ResourceSlice', observer),
      told,
    ),
    new LazyFollower<Node>(stores('nodes').cache, graph.nodes, told),
  ];
  const ready = (): Promise<void> | undefined => {
    const loading = followers.map((follower) => follower.ready()).filter((promise) => promise !== undefined);
    return loading.length === 0 ? undefined : Promise.all(loading).then(() => undefined);
  };
  return { graph, ready };
}

/** The index, each of its changes timed as an action on objects of the kind. */
function observedIndex<T extends ApiObject>(
  index: ObjectIndex<T>,
  kind: 'Pod' | 'PV' | 'VolumeAttachment' | 'ResourceSlice',
  observer: AuthorizationObserver,
): ObjectIndex<T> {
  const timed = (verb: 'Add' | 'Delete', change: () => void): void => {
    const begin = performance.now();
    change();
    observer.graphChanged(`${verb}${kind}`, (performance.now() - begin) / 1000);
  };
  return {
    clear: () => index.clear(),
    put: (key, object) => timed('Add', () => index.put(key, object)),
    remove: (key) => timed('Delete', () => index.remove(key)),
  };
}
