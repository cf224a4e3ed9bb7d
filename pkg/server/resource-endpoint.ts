import type { ClusterPolicy, SubresourceDefinition, Verb } from '../api/resource-definition.ts';
import type { Scheme, VersionedResource } from '../api/scheme.ts';
import type { AdmissionChain } from '../admission/admission.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { WorkerPools } from './worker-pools.ts';
import type { BulkEncoder } from './representation/bulk-encoder.ts';
import type { WatchSessions } from './watches/watch-sessions.ts';

/** What handlers need besides the request: one per server. */
export interface ServerParts {
  readonly admission: AdmissionChain;
  /** For permissions that a request turns out to need besides that of its path. */
  readonly authorizer: Authorizer;
  readonly pools: WorkerPools;
  readonly bulk: BulkEncoder;
  readonly watches: WatchSessions;
  /** `--delete-collection-workers`. */
  readonly deleteCollectionWorkers: number;
  /** `--min-request-timeout`, seconds. */
  readonly minRequestTimeoutSeconds: number;
  /** Feature gate APIResponseCompression. */
  readonly compressResponses: boolean;
  /** Feature gate APIListChunking; without, lists are whole whatever limit is asked for. */
  readonly listsInChunks: boolean;
  readonly policy: ClusterPolicy;
  readonly nowMs: () => number;
}

/** A kind (or subresource) at the version of the request's path: all that virtual kinds have, which are not stored. */
export interface KindEndpoint {
  readonly target: VersionedResource;
  readonly scheme: Scheme;
  readonly subresource: SubresourceDefinition<ApiObject> | undefined;
}

/** A resource with its store. */
export interface ResourceEndpoint extends KindEndpoint {
  readonly store: ResourceStore;
}

const allVerbs: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function verbsOf(served: KindEndpoint): readonly Verb[] {
  return served.subresource?.verbs ?? served.target.definition.verbs ?? allVerbs;
}
