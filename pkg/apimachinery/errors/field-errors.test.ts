import assert from 'node:assert/strict';
import { FieldErrors, OMIT_VALUE, aggregateText, fieldErrorBody, fieldErrorText } from './field-errors.ts';
import { field } from './field-path.ts';
import {
  goBytes,
  goIntOrString,
  goLabelSelector,
  goQuote,
  goStringMap,
  goText,
  goValue,
  goStruct,
} from '../values/go-format.ts';

function only(add: (errors: FieldErrors) => void): string {
  const errors = new FieldErrors();
  add(errors);
  assert.equal(errors.length, 1);
  return fieldErrorText(errors.items[0]!);
}

describe('FieldErrors', () => {
  const path = field('spec', 'x');
  const cases: [string, (e: FieldErrors) => void][] = [
    ['spec.x: Required value', (e) => e.required(path)],
    [
      'spec.x: Required value: at least 1 access mode is required',
      (e) => e.required(path, 'at least 1 access mode is required'),
    ],
    ['spec.x: Invalid value: "v": bad', (e) => e.invalid(path, 'v', 'bad')],
    ['spec.x: Invalid value: one of both is required', (e) => e.invalid(path, OMIT_VALUE, 'one of both is required')],
    [
      'spec.x: Invalid value: -1: must be greater than or equal to 0',
      (e) => e.invalid(path, -1, 'must be greater than or equal to 0'),
    ],
    ['spec.x: Invalid value: 9223372036854775807: big', (e) => e.invalid(path, 9223372036854775807n, 'big')],
    ['spec.x: Invalid value: null: field is immutable', (e) => e.invalid(path, undefined, 'field is immutable')],
    [
      'spec.x: Invalid value: []networking.IngressRule(nil): no',
      (e) => e.invalid(path, goText('[]networking.IngressRule(nil)'), 'no'),
    ],
    [
      'spec.x: Unsupported value: "Maybe": supported values: "Always", "Never"',
      (e) => e.notSupported(path, 'Maybe', ['Always', 'Never']),
    ],
    ['spec.x: Unsupported value: "Maybe"', (e) => e.notSupported(path, 'Maybe', [])],
    ['spec.x: Duplicate value: "v"', (e) => e.duplicate(path, 'v')],
    ['spec.x: Forbidden: not now', (e) => e.forbidden(path, 'not now')],
    ['spec.x: Too long: must have at most 262144 bytes', (e) => e.tooLong(path, 'v', 262144)],
    ['spec.x: Too many: 5: must have at most 3 items', (e) => e.tooMany(path, 5, 3)],
    ['spec.x: Too many: 5: must have at most 1 item', (e) => e.tooMany(path, 5, 1)],
    ['spec.x: Too many: 5: has too many items', (e) => e.tooMany(path, 5, -1)],
    ['spec.x: Not found: "v"', (e) => e.notFound(path, 'v')],
    ['spec.x: Invalid value: 3: must be a string', (e) => e.typeInvalid(path, 3, 'must be a string')],
    ['spec.x: Internal error: broke', (e) => e.internal(path, 'broke')],
  ];
  for (const [text, add] of cases) it(`prints ${text}`, () => assert.equal(only(add), text));

  it('merges equal errors in the aggregate and keeps their order', () => {
    const errors = new FieldErrors();
    errors.required(field('b'));
    errors.required(field('a'));
    errors.required(field('b'));
    assert.equal(aggregateText(errors), '[b: Required value, a: Required value]');
    const one = new FieldErrors();
    one.required(field('b'));
    one.required(field('b'));
    assert.equal(aggregateText(one), 'b: Required value');
    errors.add(one);
    assert.equal(errors.length, 5);
  });

  it('takes errors up to a number and a length', () => {
    const many = new FieldErrors();
    for (let i = 0; !many.full; i++) many.invalid(field('a').index(i), i, 'no');
    assert.equal(many.length, 1000);
    const long = new FieldErrors();
    const text = 'x'.repeat(300_000);
    for (let i = 0; i < 100; i++) long.invalid(field('a').index(i), text, 'no');
    assert.equal(long.length, 4);
    many.add(long);
    assert.equal(many.length, 1000);
  });

  it('prints objects up to a length', () => {
    const errors = new FieldErrors();
    const list = Array.from({ length: 30_000 }, (_, i) => `item ${i}`);
    for (let i = 0; i < 1000; i++) errors.invalid(field('a').index(i), list, 'no');
    assert.ok(aggregateText(errors).length < 2_000_000);
  });

  it('leaves the path out of the body', () => {
    assert.equal(
      fieldErrorBody({ type: 'FieldValueInvalid', field: 'a', badValue: true, detail: '' }),
      'Invalid value: true',
    );
  });
});

describe('Go forms of values', () => {
  it('quotes strings', () => {
    assert.equal(
      goQuote('a"b\\c\n\u0001é\u{1F600}\u00a0\u009e\u007f'),
      '"a\\"b\\\\c\\n\\x01é\u{1F600}\\u00a0\\u009e\\x7f"',
    );
    assert.equal(goQuote('\ud800'), '"\ufffd"');
  });

  it('prints maps in key order, slices, bytes and known structs', () => {
    assert.equal(goValue({ b: '2', a: '1' }), '{"a":"1","b":"2"}');
    assert.equal(goStringMap({ a: '<&>\u2028' }).text, '{"a":"\\u003c\\u0026\\u003e\\u2028"}');
    assert.equal(goStruct({ B: 'x', A: null, C: goStruct({ D: 1 }) }).text, '{"B":"x","A":null,"C":{"D":1}}');
    assert.equal(goStringMap(undefined).text, 'null');
    assert.equal(goValue(['a']), '["a"]');
    assert.equal(goBytes(undefined).text, 'null');
    assert.equal(goBytes(new TextEncoder().encode('nope')).text, '"bm9wZQ=="');
    assert.equal(goIntOrString('150%').text, '"150%"');
    assert.equal(goIntOrString(3).text, '3');
    assert.equal(goLabelSelector({ matchLabels: { a: 'b' } }).text, '{"matchLabels":{"a":"b"}}');
    assert.equal(goValue({ a: 1 }), '{"a":1}');
  });
});
