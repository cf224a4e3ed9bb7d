import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decodeExpiryKey, decodeHistoryKey, decodeRecord, decodeRevision, decodeVersion, encodeExpiryKey, encodeHistoryKey, encodeRecord,
  encodeRevision, encodeVersion,
} from './record.ts';

const revision = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('embedded records', () => {
  it('keeps every field of a record', () => {
    fc.assert(fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), revision, revision, fc.boolean(), fc.uint8Array(),
      (key, createRevision, previousRevision, deleted, value) => {
        const back = decodeRecord(encodeRecord(Buffer.from(key), { createRevision, previousRevision, deleted, value }));
        assert.deepEqual({ ...back, value: new Uint8Array(back.value) }, { key, createRevision, previousRevision, deleted, value });
      }));
  });

  it('sorts revisions as numbers', () => {
    fc.assert(fc.property(revision, revision, (a, b) => {
      assert.equal(Math.sign(Buffer.compare(encodeRevision(a), encodeRevision(b))), Math.sign(a - b));
      assert.equal(decodeRevision(encodeRevision(a)), a);
      assert.deepEqual(decodeVersion(encodeVersion({ modRevision: a, createRevision: b })), { modRevision: a, createRevision: b });
      assert.deepEqual(decodeExpiryKey(encodeExpiryKey(a, b)), { expiresAtMs: a, revision: b });
    }));
  });

  it('sorts history by key, then by the revision that ended the version', () => {
    const order = [['a', 9], ['a', 2 ** 40], ['a!', 1], ['a/b', 3], ['b', 1]] as const;
    const keys = order.map(([key, end]) => encodeHistoryKey(Buffer.from(key), end));
    assert.deepEqual(keys.toSorted(Buffer.compare), keys);
    const back = decodeHistoryKey(keys[1]!);
    assert.deepEqual([back.key.toString(), back.endRevision], ['a', 2 ** 40]);
  });
});
