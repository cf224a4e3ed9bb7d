import type { ApiObject } from '../../apimachinery/meta/object.ts';

/**
 * One state of one object, as an informer's store holds it. The cached objects of a server are handles as they are, so
 * that an informer in the server's process copies nothing. Immutable.
 */
export interface ObjectHandle<T extends ApiObject = ApiObject> {
  /** Empty for resources without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Equal for equal states of an object. */
  readonly resourceVersion: string;
  /** Shared: must not be changed. May decode stored bytes; throws where these are damaged. */
  object(): T;
  /** Read without decoding the rest, where that is possible. */
  labels(): Readonly<Record<string, string>> | undefined;
  /** The object where it is decoded at present. */
  decodedObject(): T | undefined;
}

/** A handle that keeps its object. */
export class HeldObject<T extends ApiObject> implements ObjectHandle<T> {
  private readonly held: T;

  constructor(object: T) {
    this.held = object;
  }

  get namespace(): string {
    return this.held.metadata.namespace ?? '';
  }

  get name(): string {
    return this.held.metadata.name ?? '';
  }

  get resourceVersion(): string {
    return this.held.metadata.resourceVersion ?? '';
  }

  object(): T {
    return this.held;
  }

  labels(): Readonly<Record<string, string>> | undefined {
    return this.held.metadata.labels;
  }

  decodedObject(): T {
    return this.held;
  }
}

/** A handle whose object is made of another handle's when it is first asked for, and kept. */
export class DerivedObject<S extends ApiObject, T extends ApiObject> implements ObjectHandle<T> {
  private readonly original: ObjectHandle<S>;
  private readonly derive: (object: S) => T;
  private derived: T | undefined;

  /** `derive` leaves its argument as it is. */
  constructor(original: ObjectHandle<S>, derive: (object: S) => T) {
    this.original = original;
    this.derive = derive;
    this.derived = undefined;
  }

  get namespace(): string {
    return this.original.namespace;
  }

  get name(): string {
    return this.original.name;
  }

  get resourceVersion(): string {
    return this.original.resourceVersion;
  }

  object(): T {
    this.derived ??= this.derive(this.original.object());
    return this.derived;
  }

  labels(): Readonly<Record<string, string>> | undefined {
    return this.derived === undefined ? this.original.labels() : this.derived.metadata.labels;
  }

  decodedObject(): T | undefined {
    return this.derived;
  }
}

/** The state with its object kept, where it is decoded: a cache drops the decoded form of what it replaces. */
export function pinned<T extends ApiObject>(handle: ObjectHandle<T>): ObjectHandle<T> {
  const object = handle.decodedObject();
  return object === undefined ? handle : new HeldObject(object);
}
