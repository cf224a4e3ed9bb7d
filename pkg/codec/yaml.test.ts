import assert from 'node:assert/strict';
import { parseYaml, readYaml, toYaml, YamlError } from './yaml.ts';

describe('parseYaml', () => {
  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ['null', null],
    ['a: 1\nb: [x, "y", null, ~]\n', { a: 1, b: ['x', 'y', null, null] }],
    ['{"json": true}', { json: true }],
    ['a: yes\nb: off\nc: "yes"\nd: True', { a: true, b: false, c: 'yes', d: true }],
    ['at: 2024-01-02T03:04:05Z\nday: 2024-01-02', { at: '2024-01-02T03:04:05Z', day: '2024-01-02' }],
    [
      'k: 9007199254740993\nm: -9223372036854775808\np: +9007199254740993',
      { k: 9007199254740993n, m: -9223372036854775808n, p: 9007199254740993n },
    ],
    ['f: 1.5\ne: 1e3', { f: 1.5, e: 1000 }],
    ['text: |\n  a\n  b\nfolded: >\n  a\n  b\n', { text: 'a\nb\n', folded: 'a b\n' }],
    ['base: &b {x: 1}\nuse: {<<: *b, z: 2}\nsame: *b', { base: { x: 1 }, use: { x: 1, z: 2 }, same: { x: 1 } }],
    ['1: a\ntrue: b\nn: c', { 1: 'a', true: 'b', false: 'c' }],
    ['---\na: 1\n', { a: 1 }],
    ['a: # nothing\n', { a: null }],
  ];
  for (const [text, value] of cases)
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseYaml(text), value));

  it('keeps hostile keys as data', () => {
    const value = parseYaml('{__proto__: {polluted: 1}, constructor: 2}') as object;
    assert.deepEqual(
      [Object.keys(value), (value as { polluted?: number }).polluted, Object.getPrototypeOf(value)],
      [['__proto__', 'constructor'], undefined, Object.prototype],
    );
  });

  it('lets the last of several keys count and reports the first such place', () => {
    const told: string[] = [];
    assert.deepEqual(
      parseYaml('a: 1\nb: 2\nb: 3\na: 4\n', (problem) => told.push(problem)),
      { a: 4, b: 3 },
    );
    assert.deepEqual(told, ['yaml: unmarshal errors:\n  line 3: key "b" already set in map']);
  });

  const refused: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
    ['an empty document', '', /^yaml: line 1: /],
    ['what is no YAML', 'a: [1', /^yaml: line \d+: /],
    ['tabs for indentation', 'a:\n\tb: 1', /^yaml: line 2: /],
    ['unknown anchors', 'a: *nobody', /^yaml: line 1: /],
    ['tags of code', 'a: !!js/function "x"', /^yaml: line 1: /],
    ['two documents', 'a: 1\n---\nb: 2\n', /^yaml: /],
    ['numbers that JSON does not have', 'a: .inf', /^yaml: unsupported value: Infinity$/],
    ['half a surrogate pair', String.raw`a: "\ud800"`, /^yaml: /],
    ['an anchor that holds itself', 'a: &a [*a]', /^yaml: /],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]`).join('\n')}`,
      /^yaml: /,
    ],
    ['depth', `${'['.repeat(2000)}${']'.repeat(2000)}`, /^yaml: /],
  ];
  for (const [what, text, problem] of refused) {
    it(`refuses ${what}`, () =>
      assert.throws(
        () => parseYaml(text),
        (e) => e instanceof YamlError && (assert.match(e.message, problem), e.message.length < 400),
      ));
  }
});

describe('readYaml', () => {
  it('returns its result as data', () => {
    assert.deepEqual(readYaml(Buffer.from('a: 1')), { value: { a: 1 } });
    assert.deepEqual(readYaml(Uint8Array.of(0x61, 0x3a, 0x20, 0xff)), { error: 'yaml: invalid UTF-8' });
    assert.match(readYaml(Buffer.from('a: [')).error ?? '', /^yaml: line /);
    assert.deepEqual(readYaml(Buffer.from('a: 1\na: 2')), {
      value: { a: 2 },
      duplicate: 'yaml: unmarshal errors:\n  line 2: key "a" already set in map',
    });
  });
});

describe('toYaml', () => {
  it('sorts keys and indents as kubectl does', () =>
    assert.equal(
      toYaml({ b: [{ z: 1, x: null }], a: {}, c: [], y: 'y' }),
      'a: {}\nb:\n- x: null\n  z: 1\nc: []\n"y": "y"\n',
    ));

  it('writes what reads back as the same value', () => {
    const texts = [
      'yes',
      'no',
      'on',
      'y',
      'true',
      'null',
      '~',
      '',
      ' ',
      '1',
      '1e3',
      '0x1f',
      '1_000',
      '012',
      '0o7',
      '.inf',
      '2024-01-02',
      '2024-01-02T03:04:05Z',
      'a: b',
      '# c',
      '- d',
      '*x',
      '&x',
      '!x',
      '%x',
      '@x',
      '`x',
      '{',
      '[',
      '"',
      "'",
      '\\',
      'a\nb',
      'a\n',
      '\n',
      '\ttab',
      'ü\u{1F600}',
      '\u0000',
      '\u007f',
      '\u2028',
      '<<',
      '=',
      '---',
      '...',
      'x'.repeat(500),
    ];
    const value = {
      texts,
      keys: Object.fromEntries(texts.map((t) => [t, t])),
      numbers: [0, -0.5, 1e21, 9007199254740993n, -9223372036854775808n],
      nested: [[[]], [{}]],
      shared: [texts, texts],
    };
    assert.deepEqual(parseYaml(toYaml(value)), value);
    assert.deepEqual(parseYaml(toYaml(JSON.parse('{"__proto__":{"a":1}}'))), JSON.parse('{"__proto__":{"a":1}}'));
  });
});
