import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonError, parseJson, stringifyJson } from './json.ts';

function message(text: string | Uint8Array): string {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof JsonError);
    return error.message;
  }
  return 'no error';
}

function duplicates(text: string): string[] {
  const found: string[] = [];
  parseJson(text, { reportDuplicates: (path) => found.push(path) });
  return found;
}

const strict = (text: string): unknown => parseJson(text, { reportDuplicates: () => {} });

describe('parseJson', () => {
  it('keeps 64-bit integers exact', () => {
    assert.equal(parseJson('9007199254740993'), 9007199254740993n);
    assert.deepEqual(parseJson('{"a":[-9223372036854775808,9223372036854775807]}'), {
      a: [-(2n ** 63n), 2n ** 63n - 1n],
    });
    assert.equal(parseJson('9007199254740991'), 9007199254740991);
    assert.equal(parseJson('9223372036854775808'), 9223372036854775808);
    assert.equal(parseJson('1234567890123456.5'), 1234567890123456.5);
    assert.equal(parseJson('"12345678901234567890"'), '12345678901234567890');
  });

  it('agrees with the native parser on any value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        assert.deepEqual(strict(text), JSON.parse(text));
        assert.deepEqual(parseJson(text), JSON.parse(text));
        assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
      }),
    );
  });

  it('keeps keys that name parts of objects', () => {
    const text = '{"__proto__":{"x":1},"constructor":2}';
    for (const value of [parseJson(text), strict(text)]) {
      assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor']);
      assert.equal(Object.getPrototypeOf(value), Object.prototype);
      assert.equal(stringifyJson(value), text);
    }
  });

  it('accepts and refuses what the native parser accepts and refuses', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9"',
      '1',
      '-',
      '0',
      '.5',
      'e',
      '1e5',
      'true',
      'nul',
      ' ',
      '\\',
      '"',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        fc.pre(!/e\d{3}|\d{16}/.test(text));
        let native: unknown;
        try {
          native = JSON.parse(text);
        } catch {
          assert.throws(() => strict(text), JsonError);
          return;
        }
        assert.deepEqual(strict(text), native);
      }),
      { numRuns: 2000 },
    );
  });

  const faults: [string, string][] = [
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"apiVersion":"v1",', 'unexpected end of JSON input'],
    ['\u009e', "invalid character 'Â' looking for beginning of value"],
    ['{a}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['tru', 'unexpected end of JSON input'],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['1e999', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ];
  for (const [text, expected] of faults)
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(message(text), expected));

  it('refuses invalid UTF-8', () => {
    assert.equal(message(Uint8Array.of(0x22, 0xff, 0x22)), 'invalid UTF-8 in JSON text');
  });

  it('bounds the depth and counts no brackets in strings', () => {
    assert.equal(message('['.repeat(501) + ']'.repeat(501)), 'exceeded max depth');
    assert.equal(message('['.repeat(1_000_000)), 'exceeded max depth');
    assert.equal(message('['.repeat(500) + ']'.repeat(500)), 'no error');
    assert.equal(parseJson(`"\\"${'['.repeat(20_000)}"`), `"${'['.repeat(20_000)}`);
    assert.throws(() => parseJson('[[1]]', { depthMax: 1 }), /exceeded max depth/);
    assert.throws(() => parseJson('[[9007199254740993]]', { depthMax: 1 }), /exceeded max depth/);
    assert.equal(duplicates(`${'['.repeat(500)}${']'.repeat(500)}`).length, 0);
  });

  it('replaces lone surrogates', () => {
    assert.equal(parseJson('"\\ud800x\\ud83d\\ude00"'), '\ufffdx\u{1F600}');
  });

  it('reports each duplicate path once', () => {
    assert.deepEqual(duplicates('{"data":{"a":"1"},"data":{"a":"2","a":"3"},"data":1}'), ['data', 'data.a']);
    assert.deepEqual(duplicates('{"spec":{"c":[{"n":1},{"n":1,"n":2}]}}'), ['spec.c[1].n']);
    assert.deepEqual(duplicates('{"__proto__":1,"__proto__":2}'), ['__proto__']);
    assert.deepEqual(duplicates('{"toString":1}'), []);
    assert.deepEqual(strict('{"a":1,"a":2}'), { a: 2 });
    const many = Array.from({ length: 300 }, (_, i) => `"k${i >> 1}":1`).join(',');
    assert.equal(duplicates(`{${many}}`).length, 100);
  });
});

describe('stringifyJson', () => {
  it('writes BigInt as digits and leaves look-alikes alone', () => {
    assert.equal(
      stringifyJson({ a: 9007199254740993n, b: 'bigint-1:2', c: [-1n] }),
      '{"a":9007199254740993,"b":"bigint-1:2","c":[-1]}',
    );
  });

  it('round-trips with BigInt', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((n) => !Number.isSafeInteger(Number(n))),
        fc.maxSafeInteger(),
        fc.string(),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(fc.property(tree, (value) => assert.deepEqual(parseJson(stringifyJson(value)), value)));
  });
});
