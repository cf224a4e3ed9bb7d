/**
 * The content of an etcd, in memory: every version of every key, so that answers to clients can be compared with what
 * happened.
 */
import protobuf from 'protobufjs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** etcd's own definitions, as etcd3 ships them. */
const root = new protobuf.Root().loadSync(
  join(createRequire(import.meta.url).resolve('etcd3'), '../../proto/rpc.proto'),
  { keepCase: true },
);
const typeOf = (name: string): protobuf.Type => root.lookupType(`etcdserverpb.${name}`);
const read = (name: string, bytes: Uint8Array): Message =>
  typeOf(name).toObject(typeOf(name).decode(bytes), { longs: Number, defaults: true }) as Message;
const write = (name: string, message: object): Buffer =>
  Buffer.from(typeOf(name).encode(typeOf(name).fromObject(message)).finish());

type Message = Record<string, never>;

export interface Version {
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: Buffer | undefined;
  readonly modRevision: number;
  readonly createRevision: number;
  readonly version: number;
}

export class ModelEtcd {
  /** In order; one a revision, from revision 2. */
  readonly history: Version[] = [];
  readonly #watchers = new Set<() => void>();

  get revision(): number {
    return this.history.length + 1;
  }

  /** Calls back after each change, until the returned function is called. */
  onChange(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  latest(key: string, revision = this.revision): Version | undefined {
    const found = this.history.findLast((each) => each.key === key && each.modRevision <= revision);
    return found?.value === undefined ? undefined : found;
  }

  /** Answers the bytes of a RangeRequest. */
  range(request: Uint8Array): Buffer {
    return write('RangeResponse', this.#range(read('RangeRequest', request)));
  }

  /** Does what a TxnRequest says that has one comparison and one operation for each outcome, and answers it. */
  transact(request: Uint8Array): Buffer {
    const {
      compare: [{ key, mod_revision: expected }],
      success: [operation],
      failure: [otherwise],
    } = read('TxnRequest', request) as unknown as {
      compare: [{ key: Buffer; mod_revision: number }];
      success: [{ request_put?: { value: Buffer } }];
      failure: [{ request_range: Message }];
    };
    const name = key.toString();
    const succeeded = (this.latest(name)?.modRevision ?? 0) === expected;
    if (!succeeded)
      return write('TxnResponse', {
        header: this.#header(),
        succeeded,
        responses: [{ response_range: this.#range(otherwise.request_range) }],
      });
    this.#put(name, operation.request_put?.value);
    return write('TxnResponse', {
      header: this.#header(),
      succeeded,
      responses: [{ response_put: { header: this.#header() } }],
    });
  }

  /** The answers to a WatchRequest so far, and what takes the next one. */
  watch(request: Uint8Array): { readonly created: Buffer; readonly next: () => Buffer | undefined } {
    const { create_request: range } = read('WatchRequest', request) as unknown as {
      create_request: { key: Buffer; range_end: Buffer; start_revision: number };
    };
    let at = range.start_revision;
    return {
      created: write('WatchResponse', { header: this.#header(), created: true }),
      next: () => {
        const from = at;
        at = this.revision + 1;
        const events = this.history
          .filter((each) => each.modRevision >= from && isWithin(range, each.key))
          .map((each) => ({ type: 'PUT', kv: toKeyValue(each) }));
        return events.length === 0 ? undefined : write('WatchResponse', { header: this.#header(), events });
      },
    };
  }

  #range(request: Message): object {
    const {
      key,
      range_end: end,
      revision,
      count_only: countOnly,
    } = request as unknown as { key: Buffer; range_end: Buffer; revision: number; count_only: boolean };
    const names = [...new Set(this.history.map((each) => each.key))]
      .sort()
      .filter((name) => isWithin({ key, range_end: end }, name));
    const kvs = names.flatMap((name) => this.latest(name, revision === 0 ? undefined : revision) ?? []).map(toKeyValue);
    return { header: this.#header(), count: kvs.length, ...(!countOnly && { kvs }) };
  }

  #put(key: string, value: Buffer | undefined): void {
    const before = this.latest(key);
    const modRevision = this.revision + 1;
    this.history.push({
      key,
      value: value && Buffer.from(value),
      modRevision,
      createRevision: before?.createRevision ?? modRevision,
      version: (before?.version ?? 0) + 1,
    });
    for (const changed of this.#watchers) changed();
  }

  #header(): object {
    return { cluster_id: '14841639068965178418', member_id: '7', revision: this.revision, raft_term: 2 };
  }
}

function isWithin({ key, range_end: end }: { key: Buffer; range_end: Buffer }, name: string): boolean {
  const bytes = Buffer.from(name);
  if (end.length === 0) return bytes.equals(key);
  return Buffer.compare(bytes, key) >= 0 && (end.equals(Buffer.from([0])) || Buffer.compare(bytes, end) < 0);
}

function toKeyValue({ key, value, modRevision, createRevision, version }: Version): object {
  return {
    key: Buffer.from(key),
    value: value ?? Buffer.alloc(0),
    mod_revision: modRevision,
    create_revision: createRevision,
    version,
  };
}
