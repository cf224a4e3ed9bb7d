/**
 * Random commands run against a store and against a model of a few lines, which must agree on everything. SEED in the
 * environment repeats a run; a failure prints the shortest list of commands that shows it.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextChanges } from './event-collector.ts';
import type { KeyValue, Store } from './store.ts';

const keys = ['a', 'a/1', 'a/1/x', 'a/10', 'a/2', 'b/1', 'ü'];
const prefixes = ['', 'a', 'a/', 'a/1', 'b/', 'none'];

interface Change {
  readonly revision: number;
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: string | undefined;
}

/** All that happened, and what may still be read. */
class StoreModel {
  readonly changes: Change[] = [];
  readonly firstRevision: number;
  compactRevision = 0;

  constructor(firstRevision: number) {
    this.firstRevision = firstRevision;
  }

  get revision(): number {
    return this.changes.at(-1)?.revision ?? this.firstRevision;
  }

  /** One of the revisions so far, for any number. */
  pick(n: number): number {
    const revisions = [this.firstRevision, ...this.changes.map((change) => change.revision)];
    return revisions[n % revisions.length]!;
  }

  at(key: string, revision: number): KeyValue | undefined {
    const own = this.changes.filter((change) => change.key === key && change.revision <= revision);
    const last = own.at(-1);
    if (last?.value === undefined) return undefined;
    const created = own[own.findLastIndex((change) => change.value === undefined) + 1]!;
    return { key, value: Buffer.from(last.value), modRevision: last.revision, createRevision: created.revision };
  }

  range(prefix: string, after: string | undefined, revision: number): KeyValue[] {
    const inRange = keys.filter(
      (key) => key.startsWith(prefix) && (after === undefined || compareBytes(key, after) > 0),
    );
    return inRange.toSorted(compareBytes).flatMap((key) => this.at(key, revision) ?? []);
  }
}

type Command = fc.AsyncCommand<StoreModel, Store>;

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const plain = (item: KeyValue | undefined) =>
  item && [item.key, Buffer.from(item.value).toString(), item.modRevision, item.createRevision];

/** Asserts that a read at a compacted revision fails as such, and any other is as expected. */
async function checkRead<T>(
  model: StoreModel,
  revision: number,
  read: Promise<T>,
  check: (result: T) => void,
): Promise<void> {
  if (revision < model.compactRevision)
    await assert.rejects(read, { name: 'CompactedError', compactRevision: model.compactRevision });
  else check(await read);
}

function command(text: string, run: (model: StoreModel, store: Store) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

const anyKey = fc.constantFrom(...keys);
const anyValue = fc.option(fc.string({ maxLength: 8 }), { nil: undefined, freq: 3 });
const anyPlace = fc.nat({ max: 200 });
const maybePlace = fc.option(anyPlace, { nil: undefined });

const commitRight = fc.tuple(anyKey, anyValue).map(([key, value]) =>
  command(`commit ${key}=${value}`, async (model, store) => {
    const expectRevision = model.at(key, model.revision)?.modRevision ?? 0;
    const changes = expectRevision > 0 || value !== undefined;
    const expected = model.revision + (changes ? 1 : 0);
    const result = await store.commit(key, {
      expectRevision,
      ...(value !== undefined && { value: Buffer.from(value) }),
    });
    assert.deepEqual(result, { ok: true, revision: expected });
    if (changes) model.changes.push({ revision: expected, key, value });
  }),
);

const commitWrong = fc.tuple(anyKey, anyValue, anyPlace).map(([key, value, place]) =>
  command(`commit ${key}=${value} at @${place}`, async (model, store) => {
    const current = model.at(key, model.revision);
    const wrong = [0, model.revision + 10, model.pick(place)].filter(
      (revision) => revision !== (current?.modRevision ?? 0),
    );
    for (const expectRevision of wrong) {
      const result = await store.commit(key, {
        expectRevision,
        ...(value !== undefined && { value: Buffer.from(value) }),
      });
      assert.deepEqual([result.ok, !result.ok && plain(result.current)], [false, plain(current)]);
    }
  }),
);

const get = fc.tuple(anyKey, maybePlace).map(([key, place]) =>
  command(`get ${key} @${place}`, async (model, store) => {
    const asked = place === undefined ? undefined : model.pick(place);
    const revision = asked ?? model.revision;
    await checkRead(model, revision, store.get(key, { revision: asked }), (item) =>
      assert.deepEqual(plain(item), plain(model.at(key, revision))),
    );
  }),
);

const range = fc
  .tuple(fc.constantFrom(...prefixes), fc.option(anyKey, { nil: undefined }), fc.nat({ max: 4 }), maybePlace)
  .map(([prefix, after, limit, place]) =>
    command(`range ${prefix} after ${after} limit ${limit} @${place}`, async (model, store) => {
      const asked = place === undefined ? undefined : model.pick(place);
      const revision = asked ?? model.revision;
      await checkRead(model, revision, store.range(prefix, { after, limit, revision: asked }), (page) => {
        const all = model.range(prefix, after, revision);
        const expected = limit === 0 ? all : all.slice(0, limit);
        assert.deepEqual(page.items.map(plain), expected.map(plain));
        assert.deepEqual([page.revision, page.more], [revision, expected.length < all.length]);
      });
      if (place === undefined) assert.equal(await store.count(prefix), model.range(prefix, undefined, revision).length);
    }),
  );

const watch = fc.tuple(fc.constantFrom(...prefixes), anyPlace).map(([prefix, place]) =>
  command(`watch ${prefix} after @${place}`, async (model, store) => {
    const from = model.pick(place);
    // From right below the compacted revision etcd delivers what is left and the embedded store fails: callers may rely
    // on neither.
    if (from === model.compactRevision - 1) return;
    const expected = model.changes.filter((change) => change.revision > from && change.key.startsWith(prefix));
    const stream = store.watch(prefix, from);
    if (expected.length === 0 && from >= model.compactRevision) return stream.close();
    await checkRead(model, from, nextChanges(stream, expected.length), (lines) => {
      assert.deepEqual(
        lines,
        expected.map((change) => {
          const now = model.at(change.key, change.revision);
          const before = model.at(change.key, change.revision - 1);
          const was = before === undefined ? '' : ` was ${Buffer.from(before.value).toString()}@${before.modRevision}`;
          if (now === undefined) return `${change.revision} delete ${change.key}${was}`;
          return `${change.revision} put ${change.key} ${change.value} created ${now.createRevision}${was}`;
        }),
      );
    });
  }),
);

const compact = anyPlace.map((place) =>
  command(`compact @${place}`, async (model, store) => {
    const revision = model.pick(place);
    await store.compact(revision);
    model.compactRevision = Math.max(model.compactRevision, revision);
  }),
);

const revision = fc.constant(
  command('revision', async (model, store) => assert.equal(await store.currentRevision(), model.revision)),
);

/** `open` resolves with a store without keys whose history only the test changes. */
export function describeStoreModel(name: string, open: () => Promise<Store>, runs: number): void {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  it(`agrees with the model: ${name} (SEED=${seed})`, async () => {
    const commands = fc.commands(
      [commitRight, commitRight, commitRight, commitWrong, get, range, watch, compact, revision],
      { maxCommands: 80, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const store = await open();
        try {
          const model = new StoreModel(await store.currentRevision());
          await fc.asyncModelRun(() => ({ model, real: store }), list);
        } finally {
          await store.close();
        }
      }),
      { seed, numRuns: runs },
    );
  }).timeout(120_000);
}
