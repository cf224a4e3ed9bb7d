import type { Admission } from '../admission/admission.ts';
import { serverTimeout, StatusError } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { Turn } from './key-mutex.ts';
import type { Conflict, ResourceStore } from './resource-store.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * Tries a write once, on the state that it replaces; `request` is the write's, its admission bounded in how long it
 * keeps other writers of the object waiting.
 */
type Attempt<R extends WriteRequest, T extends object> = (
  current: CachedObject | undefined,
  request: R,
) => Promise<T | Conflict>;

/**
 * Attempts of a write before it gives up. Writers of this process take turns: only faster writers elsewhere, or
 * admission that waits for webhooks, cause many.
 */
const ATTEMPTS_MAX = 64;

/**
 * Repeats a write on ever newer states of its object until there is no conflict. Writers of this process take turns, so
 * that hot objects cost them no conflicts; one whose admission takes long loses its turn, and waits for another one
 * after a conflict. This process may not have seen the latest writes of others: a refusal counts only on the newest
 * state. Throws StatusError.
 */
export async function guaranteedUpdate<R extends WriteRequest, T extends object>(
  store: ResourceStore,
  verb: string,
  request: R,
  attempt: Attempt<R, T>,
): Promise<T> {
  const key = store.keyOf(request.namespace, request.name);
  let attempts = 0;
  while (attempts < ATTEMPTS_MAX) {
    const outcome = await store.updates.run(key, async (turn) => {
      const admitted = { ...request, admission: boundedAdmission(turn, request.admission) };
      const known = await store.newest(key);
      let last = await confirmRefusal(store, known, () => attempt(known, admitted));
      while ('newer' in last && ++attempts < ATTEMPTS_MAX && !turn.isLost) last = await attempt(last.newer, admitted);
      return last;
    });
    if (!('newer' in outcome)) return outcome;
  }
  throw serverTimeout(store.groupResource, verb, 1);
}

/** The result of an attempt on the state that this process knows; a refusal counts if that state is the newest. */
async function confirmRefusal<T>(
  store: ResourceStore,
  known: CachedObject | undefined,
  attempt: () => Promise<T | Conflict>,
): Promise<T | Conflict> {
  try {
    return await attempt();
  } catch (error) {
    const isRefusal = error instanceof StatusError && error.code < 500;
    const conflict = isRefusal && known !== undefined ? await store.conflictWith(known) : undefined;
    if (conflict === undefined) throw error;
    return conflict;
  }
}

function boundedAdmission(turn: Turn, admission: Admission): Admission {
  return {
    admit: (request) => turn.yieldAfterWait(() => admission.admit(request)),
    validate: (request) => turn.yieldAfterWait(() => admission.validate(request)),
  };
}
