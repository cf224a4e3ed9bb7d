import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { DeleteOptions } from '../../client/rest/client.ts';
import type { GraphNode, ObjectIdentity } from './graph-node.ts';

/** What the collector needs of the server, and of what informers have shown. */
export interface CollectorSteps {
  /** The resource of a kind; undefined: no such kind is served. */
  readonly resourceOf: (apiVersion: string, kind: string) => Promise<Resource | undefined>;
  /** The metadata that is stored under a name; undefined: there is nothing. */
  readonly read: (
    resource: Resource,
    name: Pick<ObjectIdentity, 'namespace' | 'name'>,
  ) => Promise<ApiObject | undefined>;
  /** What informers have shown of the very object; it may be older than what is stored. */
  readonly known: (node: GraphNode) => ApiObject | undefined;
  /** Fails with a conflict where the object has other owners by now. */
  readonly delete: (resource: Resource, object: ApiObject, policy: DeleteOptions['propagationPolicy']) => Promise<void>;
  /** Fails with a conflict where the object is not in this state any more. */
  readonly patch: (resource: Resource, object: ApiObject, metadata: object) => Promise<ApiObject>;
}
