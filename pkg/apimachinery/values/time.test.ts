import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as time from './time.ts';

describe('times', () => {
  const cases: [string, string][] = [
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05Z'],
    ['2020-01-02T03:04:05.999999999-00:30', '2020-01-02T03:34:05Z'],
    ['2020-01-02T03:04:05,5Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T3:04:05Z', '2020-01-02T03:04:05Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ];
  for (const [text, canonical] of cases) {
    it(`reads ${text}`, () => {
      assert.equal(time.canonicalTime(text), canonical);
      assert.equal(time.formatTime(time.parseTime(text)), canonical);
    });
  }

  const layout = '2006-01-02T15:04:05Z07:00';
  const faults: [string, string][] = [
    ['', `parsing time "" as "${layout}": cannot parse "" as "2006"`],
    ['yesterday', `parsing time "yesterday" as "${layout}": cannot parse "yesterday" as "2006"`],
    ['2020-1-02T03:04:05Z', `parsing time "2020-1-02T03:04:05Z" as "${layout}": cannot parse "1-02T03:04:05Z" as "01"`],
    ['2020-01-02 03:04:05Z', `parsing time "2020-01-02 03:04:05Z" as "${layout}": cannot parse " 03:04:05Z" as "T"`],
    ['2020-01-02T03:04:05', `parsing time "2020-01-02T03:04:05" as "${layout}": cannot parse "" as "Z07:00"`],
    ['2020-01-02t03:04:05z', `parsing time "2020-01-02t03:04:05z" as "${layout}": cannot parse "t03:04:05z" as "T"`],
    ['2020-13-02T03:04:05Z', 'parsing time "2020-13-02T03:04:05Z": month out of range'],
    ['2021-02-29T03:04:05Z', 'parsing time "2021-02-29T03:04:05Z": day out of range'],
    ['2020-01-02T24:04:05Z', 'parsing time "2020-01-02T24:04:05Z": hour out of range'],
    ['2020-01-02T03:60:05Z', 'parsing time "2020-01-02T03:60:05Z": minute out of range'],
    ['2020-01-02T03:04:60Z', 'parsing time "2020-01-02T03:04:60Z": second out of range'],
    ['2020-01-02T03:04:05Zx', 'parsing time "2020-01-02T03:04:05Zx": extra text: "x"'],
    ['2020-01-02T03:04:05+25:00', 'parsing time "2020-01-02T03:04:05+25:00": time zone offset hour out of range'],
  ];
  for (const [text, message] of faults) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => time.parseTime(text), new time.TimeError(message)));
  }

  it('round-trips every second of the years 0 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62167219200, max: 253402300799 }), (seconds) => {
        assert.deepEqual(time.parseTime(time.formatTime({ seconds, nanos: 0 })), { seconds, nanos: 0 });
      }),
    );
  });

  it('keeps microseconds in MicroTime', () => {
    assert.deepEqual(time.parseMicroTime('2020-01-02T03:04:05.000006Z'), { seconds: 1577934245, nanos: 6000 });
    assert.equal(time.formatMicroTime(new Date(-1)), '1969-12-31T23:59:59.999000Z');
    assert.equal(time.formatMicroTime({ seconds: -1, nanos: 1999 }), '1969-12-31T23:59:59.000001Z');
    assert.throws(() => time.parseMicroTime('2020-01-02T03:04:05Z'), /cannot parse "Z" as "\.000000"$/);
    assert.throws(() => time.parseMicroTime('2020-01-02T03:04:05.1234567Z'), /cannot parse "7Z" as "Z07:00"$/);
  });

  it('writes dates', () => {
    assert.equal(time.formatTime(new Date(1577934245999)), '2020-01-02T03:04:05Z');
    assert.equal(time.formatTime({ seconds: 327403382400, nanos: 0 }), '12345-01-01T00:00:00Z');
    assert.throws(() => time.formatTime({ seconds: 1e15, nanos: 0 }), RangeError);
  });
});

describe('durations', () => {
  const cases: [string, number | bigint, string][] = [
    ['0', 0, '0s'],
    ['1h30m', 5_400_000_000_000, '1h30m0s'],
    ['90s', 90_000_000_000, '1m30s'],
    ['1.5s', 1_500_000_000, '1.5s'],
    ['-250ms', -250_000_000, '-250ms'],
    ['1us', 1000, '1µs'],
    ['1µs', 1000, '1µs'],
    ['.5m', 30_000_000_000, '30s'],
    ['12ns', 12, '12ns'],
    ['+1h', 3_600_000_000_000, '1h0m0s'],
    ['-2562047h47m16.854775808s', -(2n ** 63n), '-2562047h47m16.854775808s'],
    ['1.0000000001s', 1_000_000_000, '1s'],
  ];
  for (const [text, nanoseconds, printed] of cases) {
    it(`reads ${text}`, () => {
      assert.equal(time.parseDuration(text), nanoseconds);
      assert.equal(time.formatDuration(nanoseconds), printed);
    });
  }

  it('round-trips', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        assert.equal(BigInt(time.parseDuration(time.formatDuration(value))), value);
      }),
    );
  });

  const faults: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['1', 'time: missing unit in duration "1"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['x', 'time: invalid duration "x"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
    ['-', 'time: invalid duration "-"'],
    [`${'9'.repeat(100)}h`, `time: invalid duration "${'9'.repeat(100)}h"`],
  ];
  for (const [text, message] of faults)
    it(`refuses ${text}`, () => assert.throws(() => time.parseDuration(text), { message }));
});
