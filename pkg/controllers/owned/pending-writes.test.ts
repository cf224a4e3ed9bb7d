import assert from 'node:assert/strict';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { PendingWrites } from './pending-writes.ts';

describe('PendingWrites', () => {
  let seen: string;
  let nowMs: number;
  let writes: PendingWrites<ApiObject>;
  beforeEach(() => {
    seen = '99';
    nowMs = 0;
    writes = new PendingWrites(
      () => seen,
      () => nowMs,
    );
  });
  const object = (uid: string, resourceVersion = '100', deletionTimestamp?: string): ApiObject => ({
    metadata: { uid, resourceVersion, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  });
  const view = (...shown: ApiObject[]): unknown => writes.view('owner', shown).map(({ metadata }) => metadata.uid);

  it('counts what was created until the informer shows it', () => {
    writes.addCreated('owner', object('b'));
    assert.deepEqual(view(object('a')), ['a', 'b']);
    assert.deepEqual(view(object('a'), object('b')), ['a', 'b']);
    assert.deepEqual(view(object('a')), ['a']);
  });

  it('does not count what is gone again before it was shown', () => {
    writes.addCreated('owner', object('b', '1000'));
    seen = '999';
    assert.deepEqual(view(), ['b']);
    seen = '1000';
    assert.deepEqual(view(), []);
  });

  it('leaves out what was deleted until the informer says so', () => {
    writes.addDeleted('owner', object('a'));
    assert.deepEqual(view(object('a'), object('b')), ['b']);
    assert.deepEqual(view(object('a', '101', 'now'), object('b')), ['a', 'b']);
    assert.deepEqual(view(object('a'), object('b')), ['a', 'b']);
  });

  it('keeps the owners apart, and forgets one that is gone', () => {
    writes.addCreated('other', object('x'));
    assert.deepEqual(view(), []);
    writes.addCreated('owner', object('y'));
    writes.forget('owner');
    assert.deepEqual(view(), []);
  });

  it('waits five minutes for an informer that lags', () => {
    writes.addCreated('owner', object('b'));
    writes.addDeleted('owner', object('a'));
    nowMs = 300_001;
    assert.deepEqual(view(object('a')), ['a']);
  });
});
