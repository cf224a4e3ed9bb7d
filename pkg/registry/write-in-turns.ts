import type { Admission } from '../admission/admission.ts';
import { serverTimeout, StatusError } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { Turn } from './key-mutex.ts';
import type { Outrun, ResourceStore } from './resource-store.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * Tries a write once, on the state that it has to replace; the request is that of the write, its admission lent out of
 * the turn.
 */
type Attempt<R extends WriteRequest, T extends object> = (
  current: CachedObject | undefined,
  request: R,
) => Promise<T | Outrun>;

/**
 * Attempts of a write before it gives up. Writers of this process take turns: it takes faster ones elsewhere, or
 * admission that waits for webhooks, to need many.
 */
const ATTEMPTS_MAX = 64;

/**
 * Repeats a write on ever newer states of its object until nobody is faster. Writers of this process take turns, so
 * that hot objects cost them no conflicts; one whose admission takes long is overtaken, tries again when it was outrun,
 * and waits for its turn for that. What this process knows of an object may be behind the writes of others: a refusal
 * holds for the newest state alone. Throws StatusError.
 */
export async function writeInTurns<R extends WriteRequest, T extends object>(
  store: ResourceStore,
  verb: string,
  request: R,
  attempt: Attempt<R, T>,
): Promise<T> {
  const key = store.keyOf(request.namespace, request.name);
  let attempts = 0;
  while (attempts < ATTEMPTS_MAX) {
    const outcome = await store.updates.run(key, async (turn) => {
      const admitted = { ...request, admission: lent(turn, request.admission) };
      const known = await store.newest(key);
      let last = await unlessOvertaken(store, known, () => attempt(known, admitted));
      while ('newer' in last && ++attempts < ATTEMPTS_MAX && !turn.isLost) last = await attempt(last.newer, admitted);
      return last;
    });
    if (!('newer' in outcome)) return outcome;
  }
  throw serverTimeout(store.groupResource, verb, 1);
}

/** The outcome of an attempt on the state that this process knows. */
async function unlessOvertaken<T>(
  store: ResourceStore,
  known: CachedObject | undefined,
  attempt: () => Promise<T | Outrun>,
): Promise<T | Outrun> {
  try {
    return await attempt();
  } catch (error) {
    const isRefusal = error instanceof StatusError && error.code < 500;
    const overtaking = isRefusal && known !== undefined ? await store.overtaking(known) : undefined;
    if (overtaking === undefined) throw error;
    return overtaking;
  }
}

function lent(turn: Turn, admission: Admission): Admission {
  return {
    admit: (request) => turn.lend(() => admission.admit(request)),
    validate: (request) => turn.lend(() => admission.validate(request)),
  };
}
