import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CachedObject } from './cached-object.ts';
import { CachedEvent } from './event-ring.ts';
import { eventTypeFor } from './watch-group.ts';
import { WatchIndex, type ExactRequirement } from './watch-index.ts';

interface State {
  readonly fields: Record<string, string>;
  readonly labels: Record<string, string> | undefined;
}

function objectOf({ fields, labels }: State): CachedObject {
  return { field: (name: string) => fields[name] ?? '', labels: () => labels } as unknown as CachedObject;
}

class Watcher {
  readonly exact: readonly ExactRequirement[];
  constructor(exact: readonly ExactRequirement[]) {
    this.exact = exact;
  }
  readonly matches = (object: CachedObject): boolean =>
    this.exact.every(({ of, name, value }) =>
      of === 'field' ? object.field(name) === value : object.labels()?.[name] === value,
    );
}

const names = fc.constantFrom('a', 'b', 'c');
const values = fc.constantFrom('', 'x', 'y', 'z');
const requirement: fc.Arbitrary<ExactRequirement> = fc.record({
  of: fc.constantFrom('field' as const, 'label' as const),
  name: names,
  value: values,
});
const state: fc.Arbitrary<State> = fc.record({
  fields: fc.dictionary(names, values),
  labels: fc.option(fc.dictionary(names, values), { nil: undefined }),
});
const change = fc.oneof(
  fc.record({ before: fc.option(state, { nil: undefined }), after: state, deleted: fc.constant(false) }),
  fc.record({ before: state, after: state, deleted: fc.constant(true) }),
);

describe('WatchIndex', () => {
  const eventOf = (after: State, before?: State, deleted = false): CachedEvent =>
    new CachedEvent(1, objectOf(after), before === undefined ? undefined : objectOf(before), deleted);
  const onNode = (node: string, phase = 'Running'): State => ({
    fields: { 'spec.nodeName': node, 'status.phase': phase },
    labels: undefined,
  });

  it('leaves out no watcher that an event concerns, for any selection', () => {
    fc.assert(
      fc.property(fc.array(fc.array(requirement, { maxLength: 3 })), fc.array(change), (selections, changes) => {
        const index = new WatchIndex<Watcher>();
        const watchers = selections.map((exact) => new Watcher(exact));
        for (const watcher of watchers) index.add(watcher, watcher.exact);
        for (const { before, after, deleted } of changes) {
          const event = eventOf(deleted ? before! : after, before, deleted);
          const found = new Set(index.candidates(event).flatMap((set) => [...set]));
          for (const watcher of watchers)
            if (!found.has(watcher)) assert.equal(eventTypeFor(event, watcher.matches), undefined);
        }
      }),
    );
  });

  it('forgets all that is removed', () => {
    fc.assert(
      fc.property(fc.array(fc.array(requirement, { maxLength: 3 })), fc.array(state), (selections, states) => {
        const index = new WatchIndex<Watcher>();
        const watchers = selections.map((exact) => new Watcher(exact));
        for (const watcher of watchers) index.add(watcher, watcher.exact);
        for (const watcher of watchers) index.remove(watcher);
        assert.equal(
          index.weightOfOne(() => 1),
          0,
        );
        for (const each of states) assert.deepEqual(index.candidates(eventOf(each)), []);
      }),
    );
  });

  it('indexes by the most selective requirement, in any order', () => {
    const index = new WatchIndex<number>();
    for (let node = 0; node < 1000; node++)
      index.add(node, [
        { of: 'field', name: 'status.phase', value: 'Running' },
        { of: 'field', name: 'spec.nodeName', value: `node-${node}` },
      ]);
    const found = index.candidates(eventOf(onNode('node-7'))).flatMap((set) => [...set]);
    assert.ok(found.includes(7));
    assert.ok(found.length <= 3, `${found.length} of 1000`);
  });

  it('gives every watcher an object whose values cannot be read', () => {
    const index = new WatchIndex<number>();
    for (let node = 0; node < 3; node++)
      index.add(node, [{ of: 'field', name: 'spec.nodeName', value: `node-${node}` }]);
    index.add(3, []);
    const unreadable = {
      field: () => {
        throw new Error('no object');
      },
    } as unknown as CachedObject;
    const found = index.candidates(new CachedEvent(1, unreadable, undefined, false)).flatMap((set) => [...set]);
    assert.deepEqual(found, [0, 1, 2, 3]);
  });
});
