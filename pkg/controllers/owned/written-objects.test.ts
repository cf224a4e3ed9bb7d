import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { WrittenObjects } from './written-objects.ts';

describe('WrittenObjects', () => {
  let seen: string;
  let clock: FakeClock;
  let writes: WrittenObjects<ApiObject>;
  beforeEach(() => {
    seen = '10';
    clock = new FakeClock();
    const objects = {
      get lastSyncResourceVersion(): string {
        return seen;
      },
    };
    writes = new WrittenObjects(objects, clock);
  });
  const object = (uid: string, resourceVersion: string, more: Partial<ApiObject['metadata']> = {}): ApiObject => ({
    metadata: { name: uid, uid, resourceVersion, ...more },
  });
  const view = (...shown: ApiObject[]): string[] =>
    writes
      .view('owner', shown)
      .map(
        ({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}${metadata.deletionTimestamp ? ' ending' : ''}`,
      );

  it('shows a created object until the informer has seen it, or that it is gone', () => {
    writes.put('owner', object('a', '11'));
    assert.deepEqual(view(), ['a@11']);
    assert.deepEqual(view(object('a', '12')), ['a@12']);
    writes.put('owner', object('b', '100'));
    assert.deepEqual(view(), ['b@100']);
    seen = '101';
    assert.deepEqual(view(), []);
  });

  it('shows a patched object as it was written, until the informer shows that or a newer state', () => {
    writes.put('owner', object('a', '12'));
    assert.deepEqual(view(object('a', '9')), ['a@12']);
    assert.deepEqual(view(object('a', '12')), ['a@12']);
    assert.deepEqual(view(object('a', '9')), ['a@9']);
  });

  it('shows a deleted object as ending, until the informer shows that, or it is gone', () => {
    writes.put('owner', object('a', '12'));
    writes.putDeleted('owner', object('a', '9'));
    assert.deepEqual(view(object('a', '9')), ['a@12 ending']);
    assert.deepEqual(view(object('a', '12')), ['a@12 ending']);
    assert.deepEqual(view(object('a', '13', { deletionTimestamp: 'then' })), ['a@13 ending']);
    writes.putDeleted('owner', object('a', '9'));
    assert.deepEqual(view(), []);
  });

  it('waits five minutes, and forgets owners', async () => {
    writes.put('owner', object('a', '12'));
    writes.forget('owner');
    assert.deepEqual(view(), []);
    writes.put('owner', object('a', '12'));
    await clock.advance(300_001);
    assert.deepEqual(view(), []);
  });
});
