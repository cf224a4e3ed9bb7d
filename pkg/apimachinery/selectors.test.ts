import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldErrors, fieldErrorText } from './errors/field-errors.ts';
import { field } from './errors/field-path.ts';
import { parseFieldSelector } from './selectors/field-selector.ts';
import {
  labelSelectorAsSelector,
  nothing,
  parseLabelSelector,
  validateLabelSelector,
} from './selectors/label-selector.ts';

describe('label selectors', () => {
  const matching: [string, Record<string, string> | undefined, boolean][] = [
    ['', undefined, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['!a', { a: '1' }, false],
    ['! a', {}, true],
    ['a=1', { a: '1' }, true],
    ['a==1', { a: '2' }, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a in (1,2)', { a: '2' }, true],
    ['a in (1,2)', {}, false],
    ['a notin (1,2)', {}, true],
    ['a notin (1,2)', { a: '1' }, false],
    ['a in ()', { a: '' }, true],
    ['a in (,b)', { a: '' }, true],
    ['a in (b,)', { a: '' }, true],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<5', { a: '-9223372036854775808' }, true],
    ['a>5', {}, false],
    ['n in (a,b),odd!=1', { n: 'a', odd: '0' }, true],
    [' a = 1 , b ', { a: '1', b: '2' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['in', { in: '' }, true],
    ['constructor', {}, false],
    ['x.io/a=b', { 'x.io/a': 'b' }, true],
  ];
  for (const [text, labels, expected] of matching) {
    it(`${JSON.stringify(text)} on ${JSON.stringify(labels)}`, () =>
      assert.equal(parseLabelSelector(text).matches(labels), expected));
  }

  const printed: [string, string][] = [
    ['b,a==1', 'a==1,b'],
    ['x in (c,a,a)', 'x in (a,c)'],
    ['a>5,b<6', 'a>5,b<6'],
    ['!a', '!a'],
    ['a notin(b)', 'a notin (b)'],
    ['a=', 'a='],
    ['a in ()', 'a in ()'],
  ];
  for (const [text, expected] of printed)
    it(`prints ${text}`, () => assert.equal(parseLabelSelector(text).toString(), expected));

  const operators = 'in, notin, =, ==, !=, gt, lt';
  const faults: [string, string][] = [
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a b', `unable to parse requirement: found 'b', expected: ${operators}`],
    ['a=1 b', "found 'b', expected: ',' or 'end of string'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b,=', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a)', `unable to parse requirement: found ')', expected: ${operators}`],
  ];
  for (const [text, message] of faults)
    it(`refuses ${text}`, () => assert.throws(() => parseLabelSelector(text), { message }));

  it('checks keys and values', () => {
    assert.throws(
      () => parseLabelSelector('bad~key=1'),
      /^Error: unable to parse requirement: <nil>: Invalid value: "bad~key": name part must/,
    );
    assert.throws(
      () => parseLabelSelector('a=-b'),
      /^Error: unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must/,
    );
    assert.throws(() => parseLabelSelector('a'.repeat(100_000)), /selector is longer than 65536 characters/);
  });

  it('prints what it parses', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9.]{0,6}[a-z0-9]$/);
    const term = fc.oneof(
      word,
      word.map((k) => `!${k}`),
      fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((p) => p.join('')),
      fc
        .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1 }))
        .map(([k, op, values]) => `${k} ${op} (${values.join(',')})`),
      fc.tuple(word, fc.constantFrom('<', '>'), fc.integer({ min: 0 })).map((p) => p.join('')),
    );
    fc.assert(
      fc.property(fc.array(term), fc.dictionary(word, word), (terms, labels) => {
        const selector = parseLabelSelector(terms.join(','));
        const again = parseLabelSelector(selector.toString());
        assert.equal(again.toString(), selector.toString());
        assert.equal(again.matches(labels), selector.matches(labels));
      }),
    );
  });

  it('never throws anything but Error on any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '!', '=', '>', ' ', '5', '\\')),
        (parts) => {
          try {
            assert.equal(typeof parseLabelSelector(parts.join('')).matches({ a: '5' }), 'boolean');
          } catch (error) {
            assert.match((error as Error).message, /^(found|unable to parse requirement)/);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('takes the object form', () => {
    const selector = labelSelectorAsSelector({
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'b', operator: 'NotIn', values: ['x'] },
        { key: 'c', operator: 'Exists' },
      ],
    });
    assert.equal(selector.toString(), 'a=1,b notin (x),c');
    assert.ok(selector.matches({ a: '1', c: '' }));
    assert.ok(!labelSelectorAsSelector(undefined).matches({}));
    assert.ok(nothing().matchesNothing && !nothing().empty);
    assert.ok(labelSelectorAsSelector({}).empty);
    assert.throws(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'Gt' }] }), {
      message: '"Gt" is not a valid label selector operator',
    });
  });

  it('validates the object form', () => {
    const errors = new FieldErrors();
    validateLabelSelector(
      {
        matchLabels: { a: 'b' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['x'] },
          { key: 'a', operator: 'Maybe' },
        ],
      },
      field('spec', 'selector'),
      errors,
    );
    assert.deepEqual(errors.items.map(fieldErrorText), [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Maybe": not a valid selector operator',
    ]);
    const lax = new FieldErrors();
    validateLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }, field('s'), lax, {
      allowInvalidValues: true,
    });
    assert.equal(lax.length, 0);
  });
});

describe('field selectors', () => {
  it('parses, matches and prints', () => {
    const selector = parseFieldSelector('status.phase!=Running,metadata.name==a,,x=');
    assert.deepEqual(selector.requirements, [
      { field: 'metadata.name', op: '=', value: 'a' },
      { field: 'status.phase', op: '!=', value: 'Running' },
      { field: 'x', op: '=', value: '' },
    ]);
    const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'Pending' };
    assert.ok(selector.matches((name) => fields[name] ?? ''));
    assert.ok(!selector.matches(() => ''));
    assert.equal(selector.toString(), 'metadata.name=a,status.phase!=Running,x=');
    assert.equal(selector.exactValue('metadata.name'), 'a');
    assert.equal(selector.exactValue('status.phase'), undefined);
    assert.ok(parseFieldSelector('').empty);
  });

  const faults: [string, string][] = [
    ['name', "invalid selector: 'name'; can't understand 'name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ];
  for (const [text, message] of faults)
    it(`refuses ${text}`, () => assert.throws(() => parseFieldSelector(text), { message }));

  it('round-trips any value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = parseFieldSelector(`a=${value.replace(/[\\,=]/g, '\\$&')}`);
        assert.equal(text.exactValue('a'), value);
        assert.equal(parseFieldSelector(text.toString()).exactValue('a'), value);
      }),
    );
  });
});
