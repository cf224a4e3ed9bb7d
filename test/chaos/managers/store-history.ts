import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import { protobufCodec } from '../../../pkg/client/rest/protobuf-codec.ts';
import { openEtcdStore } from '../../../pkg/storage/etcd/open-etcd-store.ts';
import type { EtcdStore } from '../../../pkg/storage/etcd/etcd-store.ts';
import type { EventStream } from '../../../pkg/storage/store.ts';
import type { Change } from './set-bounds.ts';

/** Every state of every object but events, as the store has them: by no server, so that none can hide one. */
export class StoreHistory {
  private readonly store: EtcdStore;
  private readonly stream: EventStream;
  private readonly following: Promise<void>;
  /** Of the last change that was taken. */
  revision: number;

  private constructor(store: EtcdStore, from: number, take: (change: Change) => void) {
    this.store = store;
    this.revision = from;
    this.stream = store.watch('', from);
    this.following = this.follow(take);
  }

  static async start(url: string, take: (change: Change) => void): Promise<StoreHistory> {
    const store = openEtcdStore({ servers: [url] });
    const { items, revision } = await store.range('');
    for (const { key, value } of items)
      if (isWanted(key)) take({ key, object: decode(value), atMs: performance.now() });
    return new StoreHistory(store, revision, take);
  }

  /** Resolves when all is taken that is stored now. */
  async caughtUp(): Promise<void> {
    const now = await this.store.currentRevision();
    while (this.revision < now) {
      this.stream.requestProgress?.();
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  async stop(): Promise<void> {
    this.stream.close();
    await this.following;
    await this.store.close();
  }

  private async follow(take: (change: Change) => void): Promise<void> {
    for await (const { events, revision } of this.stream) {
      const atMs = performance.now();
      for (const { type, key, value } of events) {
        if (!isWanted(key)) continue;
        take(type === 'delete' ? { key, atMs } : { key, object: decode(value!), atMs });
      }
      this.revision = revision;
    }
  }
}

/** Allocators and locks of servers are no objects. */
function isWanted(key: string): boolean {
  return !/^(events|ranges|masterleases|compact)/.test(key) && !key.startsWith('binnacle');
}

function decode(value: Uint8Array): ApiObject {
  const bytes = Buffer.from(value);
  return bytes[0] === 0x7b ? (JSON.parse(bytes.toString()) as ApiObject) : protobufCodec.decode<ApiObject>(bytes);
}
