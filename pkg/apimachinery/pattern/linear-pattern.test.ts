import assert from 'node:assert/strict';
import { LinearPattern } from './linear-pattern.ts';
import { PatternError } from './pattern-node.ts';

describe('LinearPattern', () => {
  /** Pattern, texts in which it is found, texts in which it is not. */
  const tables: readonly (readonly [pattern: string, found: readonly string[], not: readonly string[]])[] = [
    ['', ['', 'a'], []],
    ['b', ['b', 'abc'], ['', 'a', 'B']],
    [
      '^https?://[^/]+\\.example\\.com$',
      ['https://a.example.com', 'http://a.b.example.com'],
      ['https://example.com', 'https://a.example.com.evil.test', 'xhttps://a.example.com', 'https://a.exampleXcom'],
    ],
    ['//localhost(:|$)', ['http://localhost', 'http://localhost:80'], ['http://localhost.evil.test']],
    [
      '(?i)//EXAMPLE\\.com(:|\\z)',
      ['https://example.COM', 'https://Example.com:1'],
      ['https://example.comz', 'https://example.com\n'],
    ],
    ['a(?i)b|c', ['aB', 'C'], ['AB']],
    ['(?:(?i)a)b(?-i:c)', ['Abc'], ['AB', 'aBc']],
    ['(?i)[^a]', ['b'], ['a', 'A']],
    ['(?i)[k-l]', ['K', 'L', '\u212a'], ['j', 'M']],
    ['^.$', ['a', '\u{1f600}'], ['', 'ab', '\n']],
    ['(?s)^.$', ['\n'], []],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['^b$', [], ['a\nb\nc']],
    ['\\Aa|b\\z', ['ab', 'xb', 'ax'], ['xax']],
    ['\\bcat\\b', ['a cat', 'cat.'], ['cats', 'a_cat']],
    ['\\Bcat', ['acat'], ['cat']],
    ['^a*$', ['', 'aaa'], ['ab']],
    ['^a+?b??$', ['a', 'ab'], ['', 'b', 'abb']],
    ['^(?:ab){2}$', ['abab'], ['ab', 'ababab']],
    ['^a{1,3}$', ['a', 'aaa'], ['', 'aaaa']],
    ['^a{2,}$', ['aa', 'aaaa'], ['a']],
    ['^a{,2}$', ['a{,2}'], ['a', 'aa']],
    ['^(a|b|)$', ['', 'a', 'b'], ['ab']],
    ['^()*$', [''], ['a']],
    ['^(|a)*b$', ['b', 'aab'], ['a']],
    ['^[]a-c-]$', [']', 'b', '-'], ['d', '[']],
    ['^[^]a]$', ['b'], [']', 'a']],
    ['^[\\d_\\]\\x41[:lower:]]+$', ['5_]Az'], ['B']],
    ['^[[:^alpha:]]$', ['5'], ['a']],
    ['^\\d\\D\\s\\S\\w\\W$', ['1a bc-'], ['aa bc-']],
    ['^\\pL\\p{Greek}\\P{L}\\p{^L}$', ['a\u03b15-'], ['5\u03b15-']],
    ['^\\x41\\x{1F600}\\101\\0\\t\\.\\/\\-\\_$', ['A\u{1f600}A\0\t./-_'], []],
    ['^\\Qa.b*\\E+\\Q(\\E$', ['a.b*(', 'a.b**('], ['aXb*(', 'a.b(']],
    ['a\\Q|', ['a|'], ['a']],
    ['(?P<name>a)(?<other>b)', ['ab'], ['ba']],
    ['(?U)a+', ['a'], ['b']],
  ];
  for (const [source, found, not] of tables) {
    it(`finds ${source || 'nothing'}`, () => {
      const pattern = new LinearPattern(source);
      for (const text of found) assert.equal(pattern.test(text), true, JSON.stringify(text));
      for (const text of not) assert.equal(pattern.test(text), false, JSON.stringify(text));
    });
  }

  const wrong: readonly (readonly [source: string, reason: RegExp])[] = [
    ['(', /without its \)/],
    ['a)', /without its \(/],
    ['[a', /without its \]/],
    ['[]', /without its \]/],
    ['*a', /nothing to repeat/],
    ['a|*', /nothing to repeat/],
    ['(+)', /nothing to repeat/],
    ['a**', /is repeated/],
    ['a{2}{3}', /is repeated/],
    ['a{1001}', /up to 1000/],
    ['a{3,2}', /up to 1000/],
    ['(?=a)', /kind of group/],
    ['(?!a)', /kind of group/],
    ['(?<=a)', /kind of group/],
    ['(?z)', /kind of group/],
    ['(a)\\1', /\\1 means nothing/],
    ['\\Z', /\\Z means nothing/],
    ['\\', /means nothing/],
    ['\\x{110000}', /means nothing/],
    ['[z-a]', /ends before it begins/],
    ['[a-\\d]', /means nothing/],
    ['[[:none:]]', /no class/],
    ['\\p{None}', /no class/],
    ['(?:a{1000}){1000}', /too large/],
    ['(?:(?:(?:){1000}){1000}){1000}', /too large/],
    ['('.repeat(300), /too deep/],
    ['\\\u00e9', /means nothing/],
  ];
  for (const [source, reason] of wrong)
    it(`refuses ${source.slice(0, 20)}`, () =>
      assert.throws(
        () => new LinearPattern(source),
        (error) => error instanceof PatternError && reason.test(error.message),
      ));

  it('takes no longer for patterns that backtrack elsewhere', () => {
    const text = `https://${'a.'.repeat(250)}!`;
    for (const source of [
      '^https://(.*\\.)*example\\.com$',
      '^https://([a-z0-9-]*\\.?)*example\\.com$',
      '^(([a-z/:.]+)*)*$',
      '(?i)^https://(a|A|.)*b$',
      '^(.?){1,500}b$',
    ]) {
      assert.equal(new LinearPattern(source).test(text), false, source);
    }
  });

  it('agrees with JavaScript on the common syntax', () => {
    const atoms = ['a', 'b', '.', '[ab]', '[^a]', '(?:a|b)', '(?:|ab)', '^', '$', '\\b', '\\w'];
    const signs = ['', '*', '+', '?', '{2}', '{1,2}'];
    let seed = 7;
    const pick = <T>(from: readonly T[]): T => from[(seed = (seed * 48_271) % 2_147_483_647) % from.length]!;
    for (let i = 0; i < 2000; i++) {
      const part = (): string => {
        const atom = pick(atoms);
        return /^([$^]|\\b)$/.test(atom) ? atom : atom + pick(signs);
      };
      const source = [part(), part(), pick(['', '|']), part()].join('');
      const text = Array.from({ length: 5 }, () => pick(['a', 'b', 'c', ' '])).join('');
      assert.equal(new LinearPattern(source).test(text), new RegExp(source).test(text), `${source} in '${text}'`);
    }
  });
});
