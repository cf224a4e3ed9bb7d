import type { OwnerReference } from '../../apimachinery/meta/object.ts';
import type { WriteAttempt } from './write-attempt.ts';

/**
 * Keeps each owner reference once, and warns of those that stood twice. The texts are those of stock servers, which
 * warn since release 1.20; clients look for them.
 */

/** What the client sent. Of a patch nothing can be said before it is applied: the step behind admission looks at it. */
export function keepSentOwnersOnce(attempt: WriteAttempt): void {
  if (attempt.write.verb !== 'patch') keepOwnersOnce(attempt, 'duplicate entries');
}

/** What admission made of it. */
export function keepAdmittedOwnersOnce(attempt: WriteAttempt): void {
  keepOwnersOnce(attempt, 'duplicate entries after mutating admission happens');
}

function keepOwnersOnce({ intent, object, write }: WriteAttempt, found: string): void {
  const owners = object?.metadata.ownerReferences;
  if (intent.operation === 'DELETE' || owners === undefined || owners.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const duplicates: string[] = [];
  for (const owner of owners) {
    const identity = identityOf(owner);
    if (kept.has(identity)) duplicates.push(owner.uid);
    else kept.set(identity, owner);
  }
  if (duplicates.length === 0) return;
  object!.metadata.ownerReferences = [...kept.values()];
  write.notes.warn(
    `.metadata.ownerReferences contains ${found}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}

/** Equal for references that are equal in every field: two of one UID may differ in others. */
function identityOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}
