import type {
  CommitOptions,
  CommitResult,
  EventBatch,
  EventStream,
  GetOptions,
  KeyValue,
  Page,
  RangeOptions,
  Store,
  StoreEvent,
  StoreSize,
} from '../store.ts';
import { Reopening } from './reopening.ts';
import { isUnreadableValue, unopenedValue } from './unopened-value.ts';
import type { OpenedValue, ValueTransformer } from './value-transformer.ts';

export interface EncryptedStoreOptions {
  /** By the first parts of the key, `secrets` or `services/specs`; keys of other resources pass unchanged. */
  readonly transformers: Pick<ReadonlyMap<string, ValueTransformer>, 'get'>;
  /** The prefix of every key in the store, `/registry`. */
  readonly prefix: string;
  /** Called for each value that cannot be decrypted. */
  readonly onDecryptionError: (key: string, error: unknown) => void;
  /** Called when the store is closed. */
  readonly onClose?: () => void;
  /** Interval of retries after a key service failed, milliseconds; for tests. */
  readonly retryMs?: number | undefined;
}

/**
 * A Store whose values are encrypted for some resources: encrypted on writes, decrypted on reads.
 *
 * A value that cannot be decrypted is replaced by a marker with the reason, so that one bad key affects nothing else:
 * the decoder recognizes the marker by its prefix and returns an error (`StorageCodec`). Nothing here ever deletes
 * or overwrites such a value. When a failed key service answers again, open watches fail, so that their clients
 * list again.
 */
export class EncryptedStore implements Store {
  private readonly store: Store;
  private readonly options: EncryptedStoreOptions;
  /** Keys whose value was written with another provider or key than the first, with its revision. */
  private readonly stale = new Map<string, number>();
  /** Ends of the open watches. */
  private readonly watches = new Set<() => void>();
  private readonly reopening: Reopening;

  constructor(store: Store, options: EncryptedStoreOptions) {
    this.store = store;
    this.options = options;
    this.reopening = new Reopening(() => this.endWatches(), options.retryMs);
  }

  async get(key: string, options?: GetOptions): Promise<KeyValue | undefined> {
    const found = await this.store.get(key, options);
    return found === undefined ? undefined : this.opened(found);
  }

  async range(prefix: string, options?: RangeOptions): Promise<Page> {
    const page = await this.store.range(prefix, options);
    const items: KeyValue[] = [];
    for (const item of page.items) {
      const opened = this.opened(item);
      items.push(opened instanceof Promise ? await opened : opened);
    }
    return { ...page, items };
  }

  async commit(key: string, options: CommitOptions): Promise<CommitResult> {
    const transformer = this.transformerOf(key);
    const { value } = options;
    if (transformer === undefined) return this.store.commit(key, options);
    const sealed =
      value === undefined ? options : { ...options, value: await transformer.seal(value, this.pathOf(key)) };
    const result = await this.store.commit(key, sealed);
    if (result.ok) {
      this.stale.delete(key);
      return result;
    }
    return result.current === undefined ? result : { ok: false, current: await this.opened(result.current) };
  }

  watch(prefix: string, fromRevision: number): EventStream {
    const stream = this.store.watch(prefix, fromRevision);
    const events = this.openedEvents(stream);
    const { requestProgress } = stream;
    return {
      [Symbol.asyncIterator]: () => events,
      close: () => stream.close(),
      ...(requestProgress === undefined ? {} : { requestProgress: () => requestProgress.call(stream) }),
    };
  }

  private async *openedEvents(stream: EventStream): AsyncGenerator<EventBatch> {
    let outdated = false;
    const end = (): void => {
      outdated = true;
      stream.close();
    };
    this.watches.add(end);
    try {
      for await (const batch of stream) {
        const events: StoreEvent[] = [];
        for (const event of batch.events) {
          const opened = this.openedEvent(event);
          events.push(opened instanceof Promise ? await opened : opened);
        }
        yield { ...batch, events };
      }
    } finally {
      this.watches.delete(end);
    }
    if (outdated) throw new Error('values that could not be decrypted now can: everything is read again');
  }

  /** False where there are none. */
  private endWatches(): boolean {
    for (const end of this.watches) end();
    return this.watches.size > 0;
  }

  private openedEvent(event: StoreEvent): Promise<StoreEvent> | StoreEvent {
    const transformer = this.transformerOf(event.key);
    if (transformer === undefined) return event;
    if (event.type === 'delete') this.stale.delete(event.key);
    this.reopening.forget(event.key);
    return this.openEvent(event, transformer);
  }

  private async openEvent(event: StoreEvent, transformer: ValueTransformer): Promise<StoreEvent> {
    const { key, value, previous, revision } = event;
    return {
      ...event,
      ...(value === undefined ? {} : { value: await this.open(key, value, revision, transformer) }),
      ...(previous === undefined
        ? {}
        : { previous: { ...previous, value: (await this.tryOpen(key, previous.value, transformer)).value } }),
    };
  }

  private opened(item: KeyValue): Promise<KeyValue> | KeyValue {
    const transformer = this.transformerOf(item.key);
    if (transformer === undefined) return item;
    const value = this.open(item.key, item.value, item.modRevision, transformer);
    return value instanceof Promise ? value.then((bytes) => ({ ...item, value: bytes })) : { ...item, value };
  }

  /** Decrypts a current value and records whether it is stale. */
  private open(
    key: string,
    stored: Uint8Array,
    revision: number,
    transformer: ValueTransformer,
  ): Promise<Uint8Array> | Uint8Array {
    const note = ({ value, stale }: OpenedValue): Uint8Array => {
      // Reads of the past say nothing about the current value.
      if ((this.stale.get(key) ?? revision) > revision) return value;
      if (stale) this.stale.set(key, revision);
      else this.stale.delete(key);
      return value;
    };
    const opened = this.tryOpen(key, stored, transformer);
    return opened instanceof Promise ? opened.then(note) : note(opened);
  }

  private tryOpen(key: string, stored: Uint8Array, transformer: ValueTransformer): Promise<OpenedValue> | OpenedValue {
    // Damaged on the disk: no key can decrypt it.
    if (isUnreadableValue(stored)) return { value: stored, stale: false };
    const unopened = (error: unknown): OpenedValue => {
      this.options.onDecryptionError(key, error);
      this.reopening.failed(key, error, open);
      return { value: unopenedValue(this.pathOf(key), error), stale: false };
    };
    const open = (): Promise<OpenedValue> | OpenedValue => transformer.open(stored, this.pathOf(key));
    try {
      const opened = open();
      return opened instanceof Promise ? opened.catch(unopened) : opened;
    } catch (error) {
      return unopened(error);
    }
  }

  private transformerOf(key: string): ValueTransformer | undefined {
    const { transformers } = this.options;
    const first = key.indexOf('/');
    if (first < 0) return undefined;
    const found = transformers.get(key.slice(0, first));
    if (found !== undefined) return found;
    const second = key.indexOf('/', first + 1);
    return second < 0 ? undefined : transformers.get(key.slice(0, second));
  }

  private pathOf(key: string): string {
    return `${this.options.prefix}/${key}`;
  }

  isStale(key: string, modRevision: number): boolean {
    return this.stale.get(key) === modRevision;
  }

  currentRevision(): Promise<number> {
    return this.store.currentRevision();
  }

  count(prefix: string): Promise<number> {
    return this.store.count(prefix);
  }

  compact(revision: number): Promise<void> {
    return this.store.compact(revision);
  }

  ping(timeoutMs: number): Promise<void> {
    return this.store.ping(timeoutMs);
  }

  get assertWritable(): (() => Promise<void>) | undefined {
    return this.store.assertWritable?.bind(this.store);
  }

  sizes(timeoutMs: number): Promise<readonly StoreSize[]> {
    return this.store.sizes?.(timeoutMs) ?? Promise.resolve([]);
  }

  close(): Promise<void> {
    this.reopening.stop();
    this.options.onClose?.();
    return this.store.close();
  }
}
