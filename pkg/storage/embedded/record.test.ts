import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  DamagedRecordError,
  decodeExpiryKey,
  decodeHistoryKey,
  decodeRecord,
  decodeRevision,
  decodeVersion,
  encodeExpiryKey,
  encodeHistoryKey,
  encodeRecord,
  encodeRevision,
  encodeVersion,
  readableRecord,
  readRecord,
} from './record.ts';

const revision = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('embedded records', () => {
  it('keeps every field of a record', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        revision,
        revision,
        fc.boolean(),
        fc.uint8Array(),
        (key, createRevision, previousRevision, deleted, value) => {
          const bytes = encodeRecord(7, Buffer.from(key), { createRevision, previousRevision, deleted, value });
          for (const back of [decodeRecord(bytes), readRecord(7, bytes)])
            assert.deepEqual(
              { ...back, value: new Uint8Array(back.value) },
              { key, createRevision, previousRevision, deleted, value },
            );
        },
      ),
    );
  });

  it('notices every changed byte of a record, a truncation, and a record in the place of another', () => {
    const bytes = encodeRecord(7, Buffer.from('a/key'), {
      createRevision: 3,
      previousRevision: 5,
      deleted: false,
      value: Buffer.from('the value'),
    });
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x10;
      assert.throws(() => readRecord(7, changed), DamagedRecordError, `byte ${at}`);
      assert.throws(() => readRecord(7, bytes.subarray(0, at)), DamagedRecordError, `cut at ${at}`);
    }
    assert.throws(() => readRecord(8, bytes), DamagedRecordError);
    assert.equal(readableRecord(8, bytes), undefined);
  });

  it('reads records of earlier releases, which have no checksum', () => {
    const bytes = encodeRecord(7, Buffer.from('a/key'), {
      createRevision: 3,
      previousRevision: 5,
      deleted: false,
      value: Buffer.from('the value'),
    });
    bytes.fill(0, 19, 27);
    assert.deepEqual(
      [readRecord(7, bytes).key, Buffer.from(readRecord(7, bytes).value).toString()],
      ['a/key', 'the value'],
    );
  });

  it('sorts revisions as numbers', () => {
    fc.assert(
      fc.property(revision, revision, (a, b) => {
        assert.equal(Math.sign(Buffer.compare(encodeRevision(a), encodeRevision(b))), Math.sign(a - b));
        assert.equal(decodeRevision(encodeRevision(a)), a);
        assert.deepEqual(decodeVersion(encodeVersion({ modRevision: a, createRevision: b })), {
          modRevision: a,
          createRevision: b,
        });
        assert.deepEqual(decodeExpiryKey(encodeExpiryKey(a, b)), { expiresAtMs: a, revision: b });
      }),
    );
  });

  it('sorts history by key, then by the revision that ended the version', () => {
    const order = [
      ['a', 9],
      ['a', 2 ** 40],
      ['a!', 1],
      ['a/b', 3],
      ['b', 1],
    ] as const;
    const keys = order.map(([key, end]) => encodeHistoryKey(Buffer.from(key), end));
    assert.deepEqual(keys.toSorted(Buffer.compare), keys);
    const back = decodeHistoryKey(keys[1]!);
    assert.deepEqual([back.key.toString(), back.endRevision], ['a', 2 ** 40]);
  });
});
