import type { GarbageCollectionDefault } from '../api/resource-definition.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../apimachinery/meta/object-meta-validation.ts';
import type { DeleteRequest } from './delete-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { ResourceStore } from './resource-store.ts';

/** The planned change of the stored object. */
export type DeletionPlan =
  | { readonly kind: 'keep' }
  /** Mark as being deleted; finalizers, a grace period or a namespace's content keep it. */
  | { readonly kind: 'mark'; readonly object: ApiObject }
  /** Mark, then remove: watchers of kinds with graceful deletion see both. */
  | { readonly kind: 'mark-and-remove'; readonly object: ApiObject }
  | { readonly kind: 'remove' };

/** Decides what a delete does with the object, which the caller owns, and marks it where it stays. */
export function planDelete(store: ResourceStore, request: DeleteRequest, object: ApiObject): DeletionPlan {
  const decided = store.definition.beginDelete?.(object, request.context);
  if (decided !== undefined) return decided === 'mark' ? { kind: 'mark', object } : { kind: decided };
  const graceful = planGrace(store, request, object);
  if (graceful === 'pending') return { kind: 'keep' };
  const policy = store.definition.garbageCollectionDefault?.(request.context.requestVersion) ?? 'background';
  if (store.collectsGarbage) setCollectionFinalizers(object, request.options, policy);
  const held = (object.metadata.finalizers?.length ?? 0) > 0;
  if (graceful === 'none') {
    if (!held) return { kind: 'remove' };
    markDeleting(object, request.context.now, 0);
    return { kind: 'mark', object };
  }
  return { kind: held || graceful.seconds > 0 ? 'mark' : 'mark-and-remove', object };
}

/**
 * `none`: the kind has no graceful deletion; `pending`: a running one stays unchanged. Otherwise the object has been
 * marked.
 */
function planGrace(
  store: ResourceStore,
  request: DeleteRequest,
  object: ApiObject,
): 'none' | 'pending' | { seconds: number } {
  const asked = request.options.gracePeriodSeconds;
  const seconds = store.definition.gracePeriodSeconds?.(object, asked);
  if (seconds === undefined) return 'none';
  const meta = object.metadata;
  if (meta.deletionTimestamp !== undefined) {
    const running = Number(meta.deletionGracePeriodSeconds ?? 0);
    if (asked === undefined || asked >= running) return asked === 0 && running === 0 ? { seconds: 0 } : 'pending';
    const began = Date.parse(meta.deletionTimestamp) - running * 1000;
    meta.deletionTimestamp = rfc3339(began + asked * 1000);
    meta.deletionGracePeriodSeconds = asked;
    return { seconds: asked };
  }
  markDeleting(object, request.context.now, seconds);
  return { seconds };
}

function markDeleting(object: ApiObject, now: string, seconds: number): void {
  const meta = object.metadata;
  if (meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0) meta.generation = Number(meta.generation) + 1;
  meta.deletionTimestamp ??= rfc3339(Date.parse(now) + seconds * 1000);
  meta.deletionGracePeriodSeconds = seconds;
}

function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Sets the finalizers that make the garbage collector orphan or delete dependents. */
function setCollectionFinalizers(object: ApiObject, options: DeleteOptions, policy: GarbageCollectionDefault): void {
  const before = object.metadata.finalizers ?? [];
  const wanted = collectionFinalizer(before, options, policy);
  const rest = before.filter((f) => f !== FINALIZER_ORPHAN && f !== FINALIZER_FOREGROUND);
  const after = wanted === undefined ? rest : [...rest, wanted];
  if (after.length > 0) object.metadata.finalizers = after;
  else delete object.metadata.finalizers;
}

function collectionFinalizer(
  before: readonly string[],
  options: DeleteOptions,
  policy: GarbageCollectionDefault,
): string | undefined {
  if (policy === 'unsupported') return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? FINALIZER_ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return FINALIZER_ORPHAN;
    case 'Foreground':
      return FINALIZER_FOREGROUND;
    case 'Background':
      return undefined;
    case undefined:
      break;
  }
  if (before.includes(FINALIZER_ORPHAN)) return FINALIZER_ORPHAN;
  if (before.includes(FINALIZER_FOREGROUND)) return FINALIZER_FOREGROUND;
  return policy === 'orphan' ? FINALIZER_ORPHAN : undefined;
}
