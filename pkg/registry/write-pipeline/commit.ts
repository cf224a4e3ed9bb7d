import { alreadyExists, generateNameConflict } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { Conflict } from '../resource-store.ts';
import type { WriteAttempt } from './write-attempt.ts';

/** Stores or removes the object by compare-and-swap; a dry run only checks. */
export function commit(attempt: WriteAttempt): Promise<Conflict | undefined> {
  if (attempt.dryRun) return rehearse(attempt);
  if (attempt.current === undefined) return commitNew(attempt);
  return attempt.removal === 'none' ? put(attempt) : remove(attempt);
}

/** The result that the commit would have; nothing is stored. */
async function rehearse(attempt: WriteAttempt): Promise<Conflict | undefined> {
  const { store, intent, current, object, removal, key } = attempt;
  if (current === undefined) {
    const there = await store.newest(key);
    if (there !== undefined) return lostRace(attempt, there);
    attempt.outcome = { object: store.uncached(key, attempt.value!, 0, object!), created: true, removed: false };
  } else if (intent.operation === 'DELETE') {
    const shown = object === undefined ? current : store.uncached(key, current.value, current.revision, object);
    attempt.outcome = { object: shown, created: false, removed: removal !== 'none' };
  } else {
    const value = attempt.value ?? store.codec.encode(object!);
    const shown = store.uncached(key, value, current.revision, object!);
    attempt.outcome = { object: shown, created: false, removed: removal !== 'none' };
  }
  return undefined;
}

async function commitNew(attempt: WriteAttempt): Promise<Conflict | undefined> {
  const { store, key, value, object } = attempt;
  const result = await store.commit(key, 0, value!, object!);
  if ('newer' in result) return lostRace(attempt, result.newer);
  attempt.outcome = { object: result.written, created: true, removed: false };
  return undefined;
}

/** An update that creates can update after all; a create is refused. */
function lostRace({ store, write, object }: WriteAttempt, newer: CachedObject | undefined): Conflict {
  if (write.insteadOfUpdate === true) return { newer };
  const { generateName, name = '' } = object!.metadata;
  throw generateName ? generateNameConflict(store.groupResource, name, 1) : alreadyExists(store.groupResource, name);
}

async function put(attempt: WriteAttempt): Promise<Conflict | undefined> {
  const { store, key, current, value, object } = attempt;
  const result = await store.commit(key, current!.revision, value!, object!);
  if ('newer' in result) return result;
  attempt.outcome = { object: result.written, created: false, removed: false };
  return undefined;
}

async function remove(attempt: WriteAttempt): Promise<Conflict | undefined> {
  const { store, key, object } = attempt;
  let current = attempt.current!;
  if (attempt.removal === 'after-mark') {
    const marked = await store.commit(key, current.revision, attempt.value!, object!);
    if ('newer' in marked) return marked;
    current = marked.written;
  }
  const result = await store.remove(key, current.revision);
  if ('newer' in result) return result;
  // An update that releases the last finalizer answers with the updated object.
  const last: ApiObject = attempt.intent.operation === 'UPDATE' ? object! : current.privateObject();
  const shown = store.uncached(key, store.codec.encode(last), result.revision, last);
  attempt.outcome = { object: shown, created: false, removed: true };
  return undefined;
}
