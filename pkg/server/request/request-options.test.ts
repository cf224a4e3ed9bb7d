import assert from 'node:assert/strict';
import { refusal } from '../../apimachinery/errors/status-error-testing.ts';
import {
  booleanParameter,
  freshnessOf,
  integerParameter,
  parseListOptions,
  parseRevision,
  parseWriteOptions,
} from './request-options.ts';

const query = (text: string) => new URLSearchParams(text);

describe('booleanParameter', () => {
  for (const [text, value] of [
    ['', false],
    ['x=', true],
    ['x', true],
    ['x=true', true],
    ['x=1', true],
    ['x=yes', true],
    ['x=0', false],
    ['x=false', false],
    ['x=FALSE', false],
    ['x=F', true],
    ['y=true', false],
  ] as const) {
    it(`reads ${text || 'nothing'} as ${value}`, () => assert.equal(booleanParameter(query(text), 'x'), value));
  }
});

describe('integerParameter', () => {
  const read = (value: string) => integerParameter(query(`n=${encodeURIComponent(value)}`), 'n');
  it('reads integers of 64 bits', () => {
    assert.deepEqual(['0', '+7', '-7', '007', '9007199254740991'].map(read), [0, 7, -7, 7, 9007199254740991]);
    assert.equal(integerParameter(query(''), 'n'), undefined);
    assert.equal(read('9223372036854775807'), Number.MAX_SAFE_INTEGER);
    assert.equal(read('-9223372036854775808'), Number.MIN_SAFE_INTEGER);
  });
  for (const value of ['', 'x', '1.5', '1e3', ' 1', '0x10', '--1', '+']) {
    it(`refuses ${JSON.stringify(value)}`, () =>
      assert.throws(
        () => read(value),
        refusal(400, `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`),
      ));
  }
  for (const value of ['9223372036854775808', '-9223372036854775809', '9'.repeat(1000)]) {
    it(`finds ${value.slice(0, 22)} out of range`, () =>
      assert.throws(() => read(value), refusal(400, `strconv.ParseInt: parsing "${value}": value out of range`)));
  }
});

describe('parseWriteOptions', () => {
  const read = (text: string) => parseWriteOptions(query(text), 'CreateOptions');
  it('defaults to a real write that warns', () =>
    assert.deepEqual(read(''), { dryRun: false, fieldValidation: 'Warn' }));
  it('reads dry runs', () => {
    assert.equal(read('dryRun=All').dryRun, true);
    assert.equal(read('dryRun=All&dryRun=All').dryRun, true);
    assert.equal(read('dryRun=').dryRun, false);
  });
  it('reads field validation', () =>
    assert.deepEqual(
      ['Ignore', 'Warn', 'Strict'].map((v) => read(`fieldValidation=${v}`).fieldValidation),
      ['Ignore', 'Warn', 'Strict'],
    ));
  it('refuses what is neither, telling all of it', () => {
    assert.throws(
      () => read('dryRun=all'),
      refusal(
        422,
        /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: .*: supported values: "All"$/,
      ),
    );
    assert.throws(
      () => read('fieldValidation=strict'),
      refusal(422, /fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"$/),
    );
    assert.throws(
      () => read('dryRun=x&fieldValidation=y'),
      refusal(422, /is invalid: \[dryRun: .*, fieldValidation: .*\]$/),
    );
  });
  it('names the options by the verb', () =>
    assert.throws(
      () => parseWriteOptions(query('dryRun=x'), 'PatchOptions'),
      refusal(422, /^PatchOptions\.meta\.k8s\.io/),
    ));
});

describe('parseListOptions', () => {
  const list = (text: string) => parseListOptions(query(text), false);
  const watch = (text: string) => parseListOptions(query(text), true);

  it('has a value for everything', () => {
    assert.deepEqual(list(''), {
      labelSelector: '',
      fieldSelector: '',
      watch: false,
      allowWatchBookmarks: false,
      sendInitialEvents: undefined,
      resourceVersion: '',
      resourceVersionMatch: '',
      timeoutSeconds: 0,
      limit: 0,
      continue: '',
    });
    assert.deepEqual(
      [list('limit=-5').limit, list('timeoutSeconds=-1').timeoutSeconds, list('limit=500').limit],
      [0, 0, 500],
    );
    assert.equal(watch('sendInitialEvents=false&resourceVersionMatch=NotOlderThan').sendInitialEvents, false);
  });

  const accepted = [
    'resourceVersion=5&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=NotOlderThan',
    'resourceVersion=0',
    'continue=x&limit=1',
  ];
  for (const text of accepted) it(`takes a list with ${text}`, () => assert.doesNotThrow(() => list(text)));

  const refused: readonly (readonly [text: string, reason: string])[] = [
    ['resourceVersionMatch=Exact', 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    ['resourceVersion=5&resourceVersionMatch=Newest', 'Unsupported value: "Newest"'],
    [
      'resourceVersion=5&resourceVersionMatch=Exact&continue=x',
      'resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=true', 'sendInitialEvents is forbidden for list'],
  ];
  for (const [text, reason] of refused) {
    it(`refuses a list with ${text}`, () =>
      assert.throws(
        () => list(text),
        refusal(422, new RegExp(`^ListOptions\\.meta\\.k8s\\.io "" is invalid: .*${reason}`)),
      ));
  }

  it('wants initial events and a match rule together in a watch', () => {
    assert.equal(watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan').sendInitialEvents, true);
    assert.throws(
      () => watch('resourceVersionMatch=NotOlderThan'),
      refusal(422, /forbidden for watch unless sendInitialEvents is provided/),
    );
    assert.throws(
      () => watch('sendInitialEvents=true'),
      refusal(422, /requires setting resourceVersionMatch to NotOlderThan/),
    );
    assert.throws(
      () => watch('sendInitialEvents=true&resourceVersionMatch=Exact'),
      refusal(422, /Unsupported value: "Exact"/),
    );
  });
});

describe('parseRevision', () => {
  it('reads what a store can have, and versions of the far future', () => {
    assert.deepEqual(['0', '17', '0017'].map(parseRevision), [0, 17, 17]);
    assert.ok(parseRevision('18446744073709551615') > Number.MAX_SAFE_INTEGER);
  });
  for (const [text, problem] of [
    ['', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['1.0', 'invalid syntax'],
    ['x', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
    ['9'.repeat(100), 'value out of range'],
  ] as const) {
    it(`refuses ${text.slice(0, 22) || 'an empty text'}`, () => {
      const quoted = JSON.stringify(text);
      assert.throws(
        () => parseRevision(text),
        refusal(
          400,
          `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${problem}`,
        ),
      );
    });
  }
});

describe('freshnessOf', () => {
  const cases = [
    ['', '', 0, { kind: 'consistent' }],
    ['0', '', 0, { kind: 'any' }],
    ['0', '', 5, { kind: 'any' }],
    ['7', '', 0, { kind: 'at-least', revision: 7 }],
    ['7', '', 5, { kind: 'exact', revision: 7 }],
    ['7', 'NotOlderThan', 5, { kind: 'at-least', revision: 7 }],
    ['0', 'NotOlderThan', 5, { kind: 'any' }],
    ['7', 'Exact', 0, { kind: 'exact', revision: 7 }],
  ] as const;
  for (const [version, match, limit, expected] of cases) {
    it(`is ${expected.kind} for ${version || 'no version'} ${match} limit ${limit}`, () =>
      assert.deepEqual(freshnessOf(version, match, limit), expected));
  }
});
