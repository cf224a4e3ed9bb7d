import { pods } from '../../api/core/tokens.ts';
import { resourceKey, type Resource } from '../../api/resource.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { DiscoveredResource, DiscoveredResources } from '../../client/discovery/discovered-resource.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

/** What the deletion of a namespace's content needs of the server. */
export interface ContentSteps {
  readonly namespace: string;
  /** What the server has now. */
  readonly discover: () => Promise<DiscoveredResources>;
  /** Marks all objects of a resource in the namespace as deleted; `each`: the resource has no such call for all. */
  readonly deleteAll: (resource: Resource, each: boolean) => Promise<void>;
  readonly remaining: (resource: Resource) => Promise<readonly ObjectMeta[]>;
  readonly listPods: () => Promise<readonly Pod[]>;
}

/** What one attempt found. */
export interface DeletedContent {
  /** By group and version. */
  readonly discoveryFailures: ReadonlyMap<string, unknown>;
  readonly badGroupVersions: readonly string[];
  /** Resources whose objects could not be deleted, or stay for no known reason. */
  readonly failures: readonly string[];
  /** Objects that are still there, by resource. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects that wait for a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** In how many seconds more will be gone; 0: nothing is left. */
  readonly estimateSeconds: number;
}

interface Draft {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  estimateSeconds: number;
}

/** When a finalizer is removed cannot be foreseen. */
const FINALIZER_SECONDS = 15;
/** Resources that are deleted at once. */
const CALLS_AT_ONCE = 4;

/**
 * Deletes everything in a namespace: the pods first, so that nothing that they use goes before them, and the rest when
 * no pod is left (KEP-5080). A resource that fails does not keep the others.
 */
export async function deleteContent(steps: ContentSteps, deletedForSeconds: number): Promise<DeletedContent> {
  const { resources, failures: discoveryFailures } = await steps.discover();
  const draft: Draft = { failures: [], remaining: new Map(), finalizers: new Map(), estimateSeconds: 0 };
  const deletable = resources.filter(
    ({ resource, verbs, isPreferred, isMoved }) =>
      resource.namespaced && isPreferred && !isMoved && verbs.includes('delete'),
  );
  const isPods = ({ resource }: DiscoveredResource): boolean => resourceKey(resource) === resourceKey(pods);
  const first = deletable.filter(isPods);
  for (const found of first) await deleteResource(found, steps, deletedForSeconds, draft);
  // The conditions of release 1.36 list what remains besides pods, and do not say that pods remain.
  if (draft.remaining.size > 0 || draft.failures.length > 0)
    return { ...draft, remaining: new Map(), finalizers: new Map(), discoveryFailures, badGroupVersions: [] };
  const waiting = deletable.filter((found) => !isPods(found)).values();
  const work = async (): Promise<void> => {
    for (const found of waiting) await deleteResource(found, steps, deletedForSeconds, draft);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  return { ...draft, discoveryFailures, badGroupVersions: [] };
}

async function deleteResource(
  { resource, verbs }: DiscoveredResource,
  steps: ContentSteps,
  deletedForSeconds: number,
  draft: Draft,
): Promise<void> {
  try {
    const isPods = resourceKey(resource) === resourceKey(pods);
    const graceSeconds = isPods ? Math.max(0, longestGrace(await steps.listPods()) - deletedForSeconds) : 0;
    await steps.deleteAll(resource, !verbs.includes('deletecollection'));
    const left = verbs.includes('list') ? await steps.remaining(resource) : [];
    if (left.length === 0) return;
    draft.remaining.set(`${resource.resource}.${resource.group}`, left.length);
    const held = countFinalizers(left, draft.finalizers);
    const estimate = graceSeconds > 0 ? graceSeconds : held ? FINALIZER_SECONDS : 0;
    draft.estimateSeconds = Math.max(draft.estimateSeconds, estimate);
    if (estimate === 0)
      throw new Error(`unexpected items still remain in namespace: ${steps.namespace} for gvr: ${gvr(resource)}`);
  } catch (error) {
    draft.failures.push(error instanceof Error ? error.message : String(error));
  }
}

/** As Go prints a GroupVersionResource. */
function gvr({ group, version, resource }: Resource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/** Whether any object waits for a finalizer; counts them. */
function countFinalizers(objects: readonly ObjectMeta[], counts: Map<string, number>): boolean {
  let any = false;
  for (const { finalizers = [] } of objects) {
    for (const finalizer of finalizers) {
      any = true;
      counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  return any;
}

/** Seconds that the pods may need to end. */
function longestGrace(all: readonly Pod[]): number {
  const running = all.filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed');
  return Math.max(0, ...running.map(({ spec }) => Number(spec.terminationGracePeriodSeconds ?? 0)));
}
