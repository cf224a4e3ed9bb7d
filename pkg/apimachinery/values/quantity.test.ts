import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MILLI, Quantity, QuantityError, canonicalizeQuantity, compareQuantities, parseQuantity } from './quantity.ts';

const canonical = (text: string): string => parseQuantity(text).toString();

describe('quantities', () => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['1', '1'],
    ['0.1', '100m'],
    ['100m', '100m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1E', '1E'],
    ['1Ki', '1Ki'],
    ['1024Ki', '1Mi'],
    ['0.5Gi', '512Mi'],
    ['1.5', '1500m'],
    ['-1', '-1'],
    ['1000000', '1M'],
    ['12345678901234567890', '12345678901234567890'],
    ['1n', '1n'],
    ['+2', '+2'],
    ['1e-3', '1e-3'],
    ['3.14159265358979', '3141592654n'],
    ['1.5Gi', '1536Mi'],
    ['1000', '1k'],
    ['1073741824', '1073741824'],
    ['1000m', '1'],
    ['0m', '0'],
    ['00', '0'],
    ['0.0', '0'],
    ['.5', '500m'],
    ['5.', '5.'],
    ['1.500', '1.500'],
    ['012', '012'],
    ['-0.5', '-500m'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['0.0000000001', '1n'],
    ['1e-30', '1e-9'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
    ['1025Ki', '1025Ki'],
    ['1.0001Ki', '1024102400u'],
    ['8Ki', '8Ki'],
    ['1000Ki', '1000Ki'],
    ['9223372036854775808Ki', '9223372036854775807'],
    ['-9223372036854775808Ki', '-9223372036854775807'],
    ['16Ei', '9223372036854775807'],
    ['100Ki', '100Ki'],
    ['12e6', '12e6'],
    ['12000e3', '12e6'],
    ['1e7', '10e6'],
    ['1e1', '10'],
    ['1500k', '1500k'],
    ['1000E', '1000E'],
    ['1e30', '1e30'],
    ['1k', '1k'],
    ['0Ki', '0'],
    ['100', '100'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1e2147483647', '10e2147483646'],
    ['1u', '1u'],
    ['2.5k', '2500'],
  ];
  for (const [text, expected] of cases) {
    it(`${text} is ${expected}`, () => {
      assert.equal(canonical(text), expected);
      assert.equal(canonicalizeQuantity(text), expected);
      assert.equal(canonicalizeQuantity(text), expected);
    });
  }

  it('rounds resource lists up to milli, and leaves coarser texts unchanged', () => {
    const rounded: [string, string][] = [
      ['1n', '1m'],
      ['3.14159265358979', '3142m'],
      ['+2', '+2'],
      ['-1n', '-1m'],
      ['1500u', '2m'],
      ['1Gi', '1Gi'],
    ];
    for (const [text, expected] of rounded) {
      assert.equal(canonicalizeQuantity(text, MILLI), expected);
      assert.notEqual(canonicalizeQuantity(text), '');
    }
  });

  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const faults: [string, string][] = [
    ['', format],
    ['lots', format],
    ['1 Gi', format],
    [' 1', format],
    ['1.1.M', format],
    ['1+1.0M', format],
    ['1+1', "unable to parse quantity's suffix"],
    ['0.1mi', "unable to parse quantity's suffix"],
    ['1i', "unable to parse quantity's suffix"],
    ['1ee3', "unable to parse quantity's suffix"],
    ['-3.01e-', "unable to parse quantity's suffix"],
    ['1gi', format],
    ['e-10', 'unable to parse numeric part of quantity'],
    ['1e99999999999', "unable to parse quantity's suffix"],
    ['1'.repeat(5000), format],
    ['１', format],
  ];
  for (const [text, message] of faults) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () =>
      assert.throws(() => parseQuantity(text), new QuantityError(message)));
  }

  it('compares by amount', () => {
    assert.equal(compareQuantities('1', '1000m'), 0);
    assert.equal(compareQuantities('1Ki', '1k'), 1);
    assert.equal(compareQuantities('-1Ki', '-1k'), -1);
    assert.equal(compareQuantities('1e2147483647', '1'), 1);
    assert.equal(compareQuantities('-1e2147483647', '1e-9'), -1);
    assert.equal(compareQuantities('0', '-1'), 1);
    assert.equal(compareQuantities('999999999999999999999', '1e21'), -1);
  });

  it('adds and subtracts, in the format of the first that is not zero', () => {
    assert.equal(parseQuantity('1Gi').add(parseQuantity('512Mi')).toString(), '1536Mi');
    assert.equal(parseQuantity('0').add(parseQuantity('512Mi')).toString(), '512Mi');
    assert.equal(parseQuantity('500m').add(parseQuantity('500m')).toString(), '1');
    assert.equal(parseQuantity('1').sub(parseQuantity('1100m')).toString(), '-100m');
    assert.equal(parseQuantity('+2').add(parseQuantity('0')).toString(), '2');
  });

  it('replaces a sum with too many digits by the larger amount', () => {
    const [huge, small] = [parseQuantity('1e2147483647'), parseQuantity('1Ki')];
    assert.equal(huge.add(small).toString(), huge.toString());
    assert.equal(small.add(huge).toString(), huge.toString());
    assert.equal(small.sub(huge).sign(), -1);
    assert.equal(huge.sub(small).sign(), 1);
  });

  it('gives whole values, rounded up and within 64 bits', () => {
    assert.equal(parseQuantity('1.1').value(), 2n);
    assert.equal(parseQuantity('-1.1').value(), -2n);
    assert.equal(parseQuantity('1.1').milliValue(), 1100n);
    assert.equal(parseQuantity('1e30').value(), 2n ** 63n - 1n);
    assert.equal(parseQuantity('-1e2147483647').milliValue(), -(2n ** 63n));
    assert.equal(parseQuantity('1.1').asInt64(), undefined);
    assert.equal(parseQuantity('1.1k').asInt64(), 1100n);
    assert.equal(parseQuantity('1e30').asInt64(), undefined);
    assert.equal(parseQuantity('1e2147483647').asInt64(), undefined);
    assert.equal(parseQuantity('2500m').asFloat(), 2.5);
    assert.ok(parseQuantity('0Gi').isZero());
    assert.equal(parseQuantity('-1').sign(), -1);
    assert.equal(Quantity.fromMilli(1500).toString(), '1500m');
    assert.equal(JSON.stringify({ q: Quantity.fromInteger(5) }), '{"q":"5"}');
  });

  it('is quoted in errors as in JSON', () => {
    assert.equal(parseQuantity('2').toGoText().text, '"2"');
  });

  const suffix = fc.constantFrom(
    'n',
    'u',
    'm',
    '',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'e3',
    'e-2',
    'E5',
    'e0',
  );
  const number = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.option(fc.nat(999), { nil: undefined }),
    )
    .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`);
  const text = fc.tuple(number, suffix).map(([n, s]) => n + s);

  it('keeps the amount through its canonical text, and the text through a second round', () => {
    fc.assert(
      fc.property(text, (t) => {
        const once = canonical(t);
        assert.equal(canonical(once), once);
        assert.equal(parseQuantity(once).compare(parseQuantity(t)), 0);
        assert.equal(canonicalizeQuantity(t), once);
      }),
      { numRuns: 1000 },
    );
  });

  it('orders as its doubles do, where these differ', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [p, q] = [parseQuantity(a), parseQuantity(b)];
        assert.equal(p.compare(q), -q.compare(p) + 0);
        assert.equal(p.sub(q).sign(), p.compare(q));
        if (p.asFloat() < q.asFloat()) assert.equal(p.compare(q), -1);
      }),
      { numRuns: 500 },
    );
  });
});
