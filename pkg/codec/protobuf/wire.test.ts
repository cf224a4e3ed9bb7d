import assert from 'node:assert/strict';
import protobuf from 'protobufjs/minimal.js';
import {
  append,
  endOf,
  readBytes,
  readDuration,
  readEntry,
  readInt64,
  readIntOrString,
  readMicroTime,
  readQuantity,
  readRaw,
  readStringList,
  readTime,
  sortedKeys,
  writeBytes,
  writeDuration,
  writeInt64,
  writeIntOrString,
  writeMicroTime,
  writeQuantity,
  writeRaw,
  writeStringList,
  writeTime,
  type Int64,
  type Reader,
  type Writer,
} from './wire.ts';

const written = (write: (w: Writer) => void): Buffer => {
  const w = protobuf.Writer.create();
  write(w);
  return Buffer.from(w.finish());
};
const readerOf = (bytes: Uint8Array | string): Reader =>
  protobuf.Reader.create(typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : bytes);

/** Writes, reads back, and checks that the reader is behind the value. */
function trip<T>(write: (w: Writer) => void, read: (r: Reader) => T): T {
  const r = readerOf(Buffer.concat([written(write), Buffer.from('tail')]));
  const value = read(r);
  assert.equal(Buffer.from(r.buf.subarray(r.pos)).toString(), 'tail');
  return value;
}

describe('integers of 64 bits', () => {
  const values: readonly (readonly [Int64, string])[] = [
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [2 ** 31, '8080808008'],
    [2 ** 32 - 1, 'ffffffff0f'],
    [2 ** 32, '8080808010'],
    [Number.MAX_SAFE_INTEGER, 'ffffffffffffff0f'],
    [9007199254740993n, '8180808080808010'],
    [2n ** 63n - 1n, 'ffffffffffffffff7f'],
    [-1, 'ffffffffffffffffff01'],
    [Number.MIN_SAFE_INTEGER, '81808080808080f0ff01'],
    [-(2n ** 63n), '80808080808080808001'],
  ];
  for (const [value, hex] of values) {
    it(`write and read ${value}`, () => {
      assert.equal(written((w) => writeInt64(w, value)).toString('hex'), hex);
      assert.equal(
        trip((w) => writeInt64(w, value), readInt64),
        value,
      );
    });
  }

  it('that do not end are refused', () => {
    for (const hex of ['', '80', 'ffffffff', 'ff'.repeat(11)])
      assert.throws(() => readInt64(readerOf(hex)), RangeError, hex);
  });
});

describe('endOf', () => {
  it('finds the end of a value', () =>
    assert.deepEqual(
      ['00', '0141', '80020'.padEnd(4 + 512, '0')].map((hex) => endOf(readerOf(hex))),
      [1, 2, 258],
    ));
  it('refuses lengths beyond the message, of any size', () => {
    for (const hex of [
      '01',
      '05ff',
      'ffffffff0f',
      'ffffffff7f',
      '8080808010',
      '80808080808001',
      'ffffffffffffffffff01',
      '80',
      '',
    ])
      assert.throws(() => endOf(readerOf(hex)), RangeError, hex);
  });
});

describe('append', () => {
  it('makes a list of the items in their order', () => {
    for (const start of [undefined, null, []]) {
      let list: number[] | null | undefined = start;
      for (let n = 0; n < 20; n++) {
        list = append(list, n);
        assert.deepEqual(
          list,
          Array.from({ length: n + 1 }, (_, i) => i),
        );
      }
    }
  });
});

describe('values whose JSON differs', () => {
  it('times of whole seconds', () => {
    for (const text of [
      '2024-01-02T03:04:05Z',
      '1970-01-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      null,
    ])
      assert.equal(
        trip((w) => writeTime(w, text), readTime),
        text,
      );
    assert.equal(written((w) => writeTime(w, null)).toString('hex'), '00');
    assert.equal(written((w) => writeTime(w, '1970-01-01T00:00:01Z')).toString('hex'), '0408011000');
    assert.throws(() => written((w) => writeTime(w, 'yesterday')), RangeError);
    assert.throws(
      () =>
        readTime(
          readerOf(
            written((w) => {
              w.fork();
              w.uint32(8).int64(253402300800);
              w.ldelim();
            }),
          ),
        ),
      /time out of range/,
    );
  });

  it('times with microseconds', () => {
    for (const text of [
      '2024-01-02T03:04:05.678901Z',
      '2024-01-02T03:04:05.000000Z',
      '1969-12-31T23:59:59.999999Z',
      null,
    ])
      assert.equal(
        trip((w) => writeMicroTime(w, text), readMicroTime),
        text,
      );
    assert.equal(
      trip((w) => writeMicroTime(w, '2024-01-02T03:04:05.1234569Z'), readMicroTime),
      '2024-01-02T03:04:05.123456Z',
    );
  });

  it('bytes, quantities, lists of texts', () => {
    for (const base64 of ['', 'AA==', Buffer.alloc(1000, 7).toString('base64')])
      assert.equal(
        trip((w) => writeBytes(w, base64), readBytes),
        base64,
      );
    for (const [given, read] of [
      ['1Gi', '1Gi'],
      [null, '0'],
      [undefined, '0'],
    ] as const)
      assert.equal(
        trip((w) => writeQuantity(w, given), readQuantity),
        read,
      );
    assert.equal(readQuantity(readerOf('00')), '0');
    for (const list of [[], ['a'], ['', 'ü', '']])
      assert.deepEqual(
        trip((w) => writeStringList(w, list), readStringList),
        list,
      );
  });

  it('numbers or texts', () => {
    for (const value of [0, 80, -1, 2147483647, '', '80', 'http'])
      assert.equal(
        trip((w) => writeIntOrString(w, value), readIntOrString),
        value,
      );
    assert.equal(
      trip((w) => writeIntOrString(w, undefined), readIntOrString),
      0,
    );
    assert.equal(written((w) => writeIntOrString(w, 'x')).toString('hex'), '07080110001a0178');
  });

  it('raw JSON and durations', () => {
    for (const value of [{ a: [1, null] }, 'text', 0, false, null])
      assert.deepEqual(
        trip(
          (w) => writeRaw(w, value, JSON.stringify),
          (r) => readRaw(r, JSON.parse),
        ),
        value,
      );
    assert.equal(
      trip(
        (w) => writeDuration(w, '5', BigInt),
        (r) => readDuration(r, String),
      ),
      '5',
    );
    assert.equal(
      trip(
        (w) => writeDuration(w, null, BigInt),
        (r) => readDuration(r, String),
      ),
      '0',
    );
  });

  it('skip fields that they do not know', () => {
    const unknown = (w: Writer): void => {
      w.uint32(0x7a).string('unknown').uint32(0x78).uint32(7);
    };
    assert.equal(
      readQuantity(
        readerOf(
          written((w) => {
            w.fork();
            unknown(w);
            w.uint32(10).string('2');
            unknown(w);
            w.ldelim();
          }),
        ),
      ),
      '2',
    );
    assert.deepEqual(
      readStringList(
        readerOf(
          written((w) => {
            w.fork();
            unknown(w);
            w.uint32(10).string('2');
            w.ldelim();
          }),
        ),
      ),
      ['2'],
    );
    assert.equal(
      readTime(
        readerOf(
          written((w) => {
            w.fork();
            unknown(w);
            w.uint32(8).int64(5);
            w.ldelim();
          }),
        ),
      ),
      '1970-01-01T00:00:05Z',
    );
  });
});

describe('map entries', () => {
  const entry = (write: (w: Writer) => void): Record<string, string> => {
    const map: Record<string, string> = {};
    readEntry(
      readerOf(
        written((w) => {
          w.fork();
          write(w);
          w.ldelim();
        }),
      ),
      map,
      () => 'zero',
      (r) => r.string(),
    );
    return map;
  };
  it('have a key and a value, in any order, or neither', () => {
    assert.deepEqual(
      entry((w) => w.uint32(10).string('k').uint32(18).string('v')),
      { k: 'v' },
    );
    assert.deepEqual(
      entry((w) => w.uint32(18).string('v').uint32(10).string('k')),
      { k: 'v' },
    );
    assert.deepEqual(
      entry((w) => w.uint32(10).string('k')),
      { k: 'zero' },
    );
    assert.deepEqual(
      entry(() => undefined),
      { '': 'zero' },
    );
  });
  it('with hostile keys are data', () =>
    assert.deepEqual(Object.keys(entry((w) => w.uint32(10).string('__proto__').uint32(18).string('v'))), [
      '__proto__',
    ]));
});

describe('sortedKeys', () => {
  it('orders by the bytes of UTF-8', () => {
    const keys = ['b', 'a', '', 'B', 'a.b', 'a-b', 'é', '\uffff', '\u{10000}', '\u{1F600}', '10', '9'];
    const byBytes = [...keys].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    assert.deepEqual(sortedKeys(Object.fromEntries(keys.map((k) => [k, 1]))), byBytes);
    assert.deepEqual([sortedKeys({}), sortedKeys({ z: 1 })], [[], ['z']]);
  });
});
