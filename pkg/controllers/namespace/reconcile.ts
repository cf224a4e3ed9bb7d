import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Namespace } from '../../generated/types/core-v1.ts';
import { conditionsAfter, discoveryFailureMessage } from './conditions.ts';
import { type ContentSteps, deleteContent, type DeletedContent } from './delete-content.ts';

export interface NamespaceSteps extends ContentSteps {
  /** The stored state; undefined: it is gone. */
  readonly read: () => Promise<Namespace | undefined>;
  readonly writeStatus: (namespace: Namespace) => Promise<Namespace>;
  /** Writes the finalizers of the specification. */
  readonly finalize: (namespace: Namespace) => Promise<void>;
  /** Since the deletion was seen. */
  readonly ageSeconds: () => number;
  /** RFC 3339. */
  readonly now: () => string;
}

const FINALIZER = 'kubernetes';
/** Other servers may admit objects until they know of the deletion: so long the namespace stays, even empty. */
const LAST_OBJECTS_SECONDS = 5;

/** One namespace that is being deleted. Returns the milliseconds until more of its content may be gone. */
export async function reconcile(steps: NamespaceSteps): Promise<number | undefined> {
  const namespace = await steps.read();
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  const marked = await markTerminating(namespace, steps);
  const ageSeconds = steps.ageSeconds();
  if (!(marked.spec.finalizers ?? []).includes(FINALIZER)) return undefined;
  const content = await deleteContent(steps, ageSeconds);
  const reported = await reportContent(marked, content, steps);
  const failure = failureOf(content);
  if (failure !== undefined) throw failure;
  // Most content goes much earlier than it may.
  if (content.estimateSeconds > 0) return Math.min(content.estimateSeconds / 2 + 1, Math.max(1, ageSeconds / 2)) * 1000;
  if (ageSeconds < LAST_OBJECTS_SECONDS) return (LAST_OBJECTS_SECONDS - ageSeconds) * 1000;
  const finalizers = (reported.spec.finalizers ?? []).filter((name) => name !== FINALIZER);
  await steps.finalize({ ...reported, spec: { ...reported.spec, finalizers } });
  return undefined;
}

async function markTerminating(namespace: Namespace, { writeStatus }: NamespaceSteps): Promise<Namespace> {
  if (namespace.status.phase === 'Terminating') return namespace;
  return writeStatus({ ...namespace, status: { ...namespace.status, phase: 'Terminating' } });
}

async function reportContent(
  namespace: Namespace,
  content: DeletedContent,
  { writeStatus, now }: NamespaceSteps,
): Promise<Namespace> {
  const conditions = conditionsAfter(namespace, content, now());
  if (deepEqual(conditions, namespace.status.conditions)) return namespace;
  return writeStatus({ ...namespace, status: { ...namespace.status, conditions: [...conditions] } });
}

/** Keeps the namespace, and brings it back after a backoff. */
function failureOf({ discoveryFailures, failures }: DeletedContent): Error | undefined {
  const texts = [...failures];
  if (discoveryFailures.size > 0) texts.push(discoveryFailureMessage(discoveryFailures));
  return texts.length === 0 ? undefined : new Error(texts.join('; '));
}
