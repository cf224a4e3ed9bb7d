import type { StoredUse } from '../../codec/stored/stored-item.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ByteBudget } from './byte-budget.ts';

/** How the objects of one resource are decoded; given by the registry. Functions are pure. */
export interface ObjectFormat {
  /**
   * The hub object of a stored value, `metadata.resourceVersion` set to `revision`. Throws on a value that is corrupt
   * or could not be decrypted; `key` is for the message.
   */
  decode(value: Uint8Array, revision: number, key?: string): ApiObject;
  /** The object's labels, read without decoding the rest. Throws as `decode` does. */
  labels(value: Uint8Array, key?: string): Record<string, string> | undefined;
  /** The value of a field label (`status.phase`), empty when the object has none. */
  field(object: ApiObject, label: string): string;
}

/** One way of putting an object on the wire. */
export interface Representation {
  /** Identity, for example `apps/v1;json`. Equal keys give equal bytes. */
  readonly key: string;
  /** False for forms that change every second (ages in tables): they are rendered each time. */
  readonly cacheable: boolean;
  encode(object: CachedObject): Uint8Array;
}

/** Bytes in their own memory: small buffers share slabs, and one that is kept for long would keep its whole slab. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes);
}

/** Rough size of a decoded object on the heap, as a multiple of its stored bytes. */
const DECODED_FACTOR = 5;

/**
 * One stored object with the forms made from it. The stored bytes stay as long as the object is in the cache; decoded
 * object, labels and encoded forms are made when first needed, count against the byte budget and are dropped first.
 * Immutable for its readers. Code that knows the kind of its resource names the type of the object.
 */
export class CachedObject<T extends ApiObject = ApiObject> {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly value: Uint8Array;
  private readonly format: ObjectFormat;
  private budget: ByteBudget;
  private decoded: T | undefined;
  private labelMap: Record<string, string> | null | undefined;
  private forms: Map<string, Uint8Array> | undefined;
  private fieldValues: Map<string, string> | undefined;
  /** What the stored bytes are good for besides decoding, found out when that is first asked. */
  storedUse: StoredUse = 'unknown';
  /**
   * For the budget: bytes of the lazily made parts, place in its list (-1: none), and whether used since it last
   * looked.
   */
  lazyBytes = 0;
  budgetSlot = -1;
  recentlyUsed = false;

  constructor(
    key: string,
    namespace: string,
    name: string,
    revision: number,
    value: Uint8Array,
    format: ObjectFormat,
    budget: ByteBudget,
  ) {
    this.key = key;
    this.namespace = namespace;
    this.name = name;
    this.revision = revision;
    this.value = ownBytes(value);
    this.format = format;
    this.budget = budget;
    this.decoded = undefined;
    this.labelMap = undefined;
    this.forms = undefined;
    this.fieldValues = undefined;
  }

  /** The same state under another revision: the last state of a deleted object is sent this way. */
  atRevision(revision: number): CachedObject<T> {
    return new CachedObject<T>(
      this.key,
      this.namespace,
      this.name,
      revision,
      this.value,
      this.format,
      this.budget.passing,
    );
  }

  /** The decoded hub object. Shared: readers must not change it. */
  object(): T {
    if (this.decoded === undefined) {
      this.decoded = this.decode();
      this.grow(this.value.length * DECODED_FACTOR);
    }
    this.recentlyUsed = true;
    return this.decoded;
  }

  /** The decoded hub object, if it is in memory now. Shared, as that of `object`. */
  decodedObject(): T | undefined {
    return this.decoded;
  }

  get resourceVersion(): string {
    return String(this.revision);
  }

  /** A decoded hub object that the caller may change. */
  privateObject(): T {
    return this.decoded === undefined ? this.decode() : deepCopy(this.decoded);
  }

  /** The type is that of the cache's resource. */
  private decode(): T {
    return this.format.decode(this.value, this.revision, this.key) as T;
  }

  labels(): Record<string, string> | undefined {
    if (this.labelMap === undefined)
      this.labelMap = this.decoded?.metadata.labels ?? this.format.labels(this.value, this.key) ?? null;
    return this.labelMap ?? undefined;
  }

  /** Value of a field label; cached, since field selectors read it often. */
  field(label: string): string {
    if (label === 'metadata.name') return this.name;
    if (label === 'metadata.namespace') return this.namespace;
    const known = this.fieldValues?.get(label);
    if (known !== undefined) return known;
    const value = this.format.field(this.decoded ?? this.decode(), label);
    (this.fieldValues ??= new Map()).set(label, value);
    return value;
  }

  /** The object in a representation; encoded once. */
  bytes(representation: Representation): Uint8Array {
    if (!representation.cacheable) return representation.encode(this);
    let bytes = this.forms?.get(representation.key);
    if (bytes === undefined) {
      bytes = representation.encode(this);
      this.keep(representation.key, bytes);
    }
    this.recentlyUsed = true;
    return bytes;
  }

  hasForm(key: string): boolean {
    return this.forms?.has(key) ?? false;
  }

  /** The bytes of a form where they are kept at present. */
  form(key: string): Uint8Array | undefined {
    return this.forms?.get(key);
  }

  /** Stores bytes encoded elsewhere (by a write, or on a worker). */
  keep(key: string, bytes: Uint8Array): void {
    this.forms ??= new Map();
    if (this.forms.has(key)) return;
    this.forms.set(key, ownBytes(bytes));
    this.grow(bytes.length);
  }

  /** Stores the decoded object that a write already has. */
  keepObject(object: T): void {
    if (this.decoded !== undefined) return;
    this.decoded = object;
    this.grow(this.value.length * DECODED_FACTOR);
  }

  /** Drops everything that can be decoded or encoded again. */
  dropLazy(): void {
    this.decoded = undefined;
    this.forms = undefined;
    this.budget.remove(this);
  }

  /** The cache holds another state now. Holders of this one, like the history of changes, may still use it. */
  retire(): void {
    this.dropLazy();
    this.budget = this.budget.passing;
  }

  private grow(bytes: number): void {
    this.recentlyUsed = true;
    this.budget.add(this, bytes);
  }
}
