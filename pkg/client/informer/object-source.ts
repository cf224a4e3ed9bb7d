import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Resource } from '../../api/resource.ts';
import type { Selection } from '../rest/client.ts';
import type { ObjectHandle } from './object-handle.ts';

/**
 * Where an informer's objects come from: a client's list and watch (`Reflector`), or the caches of a server in the same
 * process.
 */
export interface ObjectSource<T extends ApiObject> {
  /**
   * Feeds the sink until the signal ends it, and resolves then, with nothing left behind. Never rejects: reports
   * failures and tries again. Called once.
   */
  run(sink: ObjectSink<T>, signal: AbortSignal): Promise<void>;
  /** Revision up to which the sink has seen everything; empty before the first list. */
  readonly lastSyncResourceVersion: string;
}

/** The receiving end of a source. None of its methods throws. */
export interface ObjectSink<T extends ApiObject> {
  /**
   * These objects and no others are there. Takes as many turns of the event loop as it needs. What `put` and `remove`
   * say meanwhile is newer than it; a later call ends this one. Rejects only where the iteration does.
   */
  replace(objects: Iterable<ObjectHandle<T>> | AsyncIterable<ObjectHandle<T>>): Promise<void>;
  /** The object is new or has changed. */
  put(object: ObjectHandle<T>): void;
  /** `last`: the object's last state, at the revision of its deletion. Nothing happens where it is not known. */
  remove(last: ObjectHandle<T>): void;
}

/** Makes the sources of an `InformerFactory`, all as one user. */
export interface ObjectSources {
  source<T extends ApiObject>(resource: Resource<T>, selection: Selection): ObjectSource<T>;
}
