import { deployments, replicaSets, statefulSets } from '../../api/apps/tokens.ts';
import { replicationControllers } from '../../api/core/tokens.ts';
import { resourceKey, type Resource } from '../../api/resource.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import { controllerOf, refersTo } from '../../client/reconcile/owner-references.ts';
import { readScale } from '../../client/reconcile/scale.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import type { ControllerContext, FollowedObjects } from '../controller-context.ts';
import { NoScaleError, type OwnerScale } from './expected-scale.ts';

interface Replicated extends ApiObject {
  readonly spec: { readonly replicas?: number };
}

/** The wanted replicas of owners of pods: of the usual kinds from informers, of all others by their `scale`. */
export class OwnerScales {
  private readonly client: ControllerContext['client'];
  private readonly discovery: CachedDiscovery;
  private readonly known: readonly { readonly resource: Resource; readonly objects: FollowedObjects<Replicated> }[];

  constructor({ client, informers, clock }: ControllerContext) {
    this.client = client;
    this.discovery = new CachedDiscovery(client, { clock });
    const follow = <T extends Replicated>(resource: Resource<T>): (typeof this.known)[number] => ({
      resource,
      objects: informers.informer(resource) as unknown as FollowedObjects<Replicated>,
    });
    this.known = [follow(replicationControllers), follow(replicaSets), follow(deployments), follow(statefulSets)];
  }

  /** Informers whose first list is to be waited for. */
  get followed(): readonly FollowedObjects<ApiObject>[] {
    return this.known.map(({ objects }) => objects);
  }

  /** What informers do not show may still be on the server: the set of a deployment that is gone, or a new object. */
  async of(owner: OwnerReference, namespace: string): Promise<OwnerScale | undefined> {
    return this.shown(owner, namespace) ?? this.read(owner, namespace);
  }

  private shown(owner: OwnerReference, namespace: string): OwnerScale | undefined {
    const known = this.known.find(({ resource }) => refersTo(owner, resource));
    if (known === undefined) return undefined;
    const object = known.objects.lister.get({ namespace, name: owner.name });
    if (object === undefined || object.metadata.uid !== owner.uid) return undefined;
    const parent = controllerOf(object);
    if (known.resource.kind === replicaSets.kind && parent !== undefined && refersTo(parent, deployments))
      return this.shown(parent, namespace);
    return { uid: owner.uid, replicas: object.spec.replicas ?? 1 };
  }

  private async read(owner: OwnerReference, namespace: string): Promise<OwnerScale | undefined> {
    const resource = await this.discovery.forKind(owner.apiVersion, owner.kind);
    if (resource === undefined)
      throw new NoScaleError(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
    try {
      const { metadata, spec } = await readScale(this.client, resource, { namespace, name: owner.name });
      return metadata.uid === owner.uid ? { uid: owner.uid, replicas: spec.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { resources } = await this.discovery.resources();
      const found = resources.find(
        (served) =>
          resourceKey(served.resource) === resourceKey(resource) && served.resource.version === resource.version,
      );
      if (found?.subresources.includes('scale') === true) return undefined;
      throw new NoScaleError(`${resourceKey(resource)} does not implement the scale subresource`, { cause: error });
    }
  }
}
