import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { controllerOf } from '../../client/reconcile/owner-references.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { FollowedObjects } from '../controller-context.ts';

const BY_CONTROLLER = 'controller';
const ORPHANS = 'orphans';
const BY_NODE = 'node';

function controllerUid(object: ApiObject): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
}

function orphanNamespace(object: ApiObject): readonly string[] {
  return controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : [];
}

function nodeName({ spec }: Pod): readonly string[] {
  return (spec.nodeName ?? '') === '' ? [] : [spec.nodeName!];
}

/** Objects by the owner that manages them, and those without one by namespace. */
export class ObjectsByController<T extends ApiObject> {
  private readonly objects: FollowedObjects<T>;

  constructor(objects: FollowedObjects<T>) {
    this.objects = objects;
    objects.addIndex(BY_CONTROLLER, controllerUid);
    objects.addIndex(ORPHANS, orphanNamespace);
  }

  ownedBy(uid: string): T[] {
    return this.objects.lister.listByIndex(BY_CONTROLLER, uid);
  }

  orphans(namespace: string): T[] {
    return this.objects.lister.listByIndex(ORPHANS, namespace);
  }
}

/** Pods by the node that they are on. */
export class PodsByNode {
  private readonly pods: FollowedObjects<Pod>;

  constructor(pods: FollowedObjects<Pod>) {
    this.pods = pods;
    pods.addIndex(BY_NODE, nodeName);
  }

  on(node: string): Pod[] {
    return this.pods.lister.listByIndex(BY_NODE, node);
  }
}
