import { volumeAttachments } from '../../api/storage/tokens.ts';
import { resourceSlices } from '../../api/resource/tokens.ts';
import { nodes, persistentVolumes, pods } from '../../api/core/tokens.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { AuthorizationObserver } from '../authorization-observer.ts';
import type { NodeAuthorizerParts } from './authorizer.ts';
import { LazyFollower } from './lazy-follower.ts';
import { NodeGraph } from './node-graph.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ObjectIndex } from '../follow-objects.ts';

/** A graph of a server's stores, followed from its first use on until the server stops. */
export function followGraph(
  stores: StoreAccess,
  observer: AuthorizationObserver,
  onError: (error: unknown, where: string) => void,
): Pick<NodeAuthorizerParts, 'graph' | 'ready'> {
  const graph = new NodeGraph();
  const told = (error: unknown): void => onError(error, 'node authorizer');
  const followers = [
    new LazyFollower(stores(pods).cache, observedIndex(graph.pods, 'Pod', observer), told),
    new LazyFollower(stores(persistentVolumes).cache, observedIndex(graph.persistentVolumes, 'PV', observer), told),
    new LazyFollower(
      stores(volumeAttachments).cache,
      observedIndex(graph.attachments, 'VolumeAttachment', observer),
      told,
    ),
    new LazyFollower(
      stores(resourceSlices).cache,
      observedIndex(graph.resourceSlices, 'ResourceSlice', observer),
      told,
    ),
    new LazyFollower(stores(nodes).cache, graph.nodes, told),
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
