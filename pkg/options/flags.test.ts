import assert from 'node:assert/strict';
import { indexOptions, readFlags } from './flags.ts';
import { optionGroup } from './option.ts';

const index = indexOptions(
  optionGroup('All', [
    { name: 'plain', aliases: ['p'], type: 'string', help: '' },
    { name: 'two-words', type: 'int', help: '' },
    { name: 'flag', type: 'bool', help: '' },
    { name: 'list', aliases: ['old-list'], type: 'stringSlice', help: '' },
    { name: 'files', type: 'stringArray', help: '' },
    { name: 'pairs', type: 'mapStringString', help: '' },
    { name: 'whole-pairs', type: 'mapStringString', whole: true, help: '' },
    { name: 'certs', type: 'namedCertKey', help: '' },
  ]),
);

function read(...args: string[]): { given: object; problems: string[] } {
  const problems: string[] = [];
  const given = Object.fromEntries(readFlags(index, args, problems));
  return { given, problems };
}

describe('readFlags', () => {
  const right: readonly (readonly [args: string[], given: object])[] = [
    [['--plain=a=b'], { plain: 'a=b' }],
    [['--plain', 'a', '--plain', 'b'], { plain: 'b' }],
    [['--plain='], { plain: '' }],
    [['--plain', '-'], { plain: '-' }],
    [['--two-words', '-5'], { 'two-words': '-5' }],
    [['-p', 'x'], { plain: 'x' }],
    [['-p=x'], { plain: 'x' }],
    [['-p2'], { plain: '2' }],
    [['--two_words=5'], { 'two-words': '5' }],
    [['--flag'], { flag: 'true' }],
    [['--flag=false'], { flag: 'false' }],
    [['--flag='], { flag: '' }],
    [['--flag=maybe'], { flag: 'maybe' }],
    [['--no-flag'], { flag: 'false' }],
    [['--list=a, b', '--old-list', 'c'], { list: ['a', 'b', 'c'] }],
    [['--list='], { list: [] }],
    [['--list=a,,b,'], { list: ['a', 'b'] }],
    [['--list="a{1,2}" , b"c,"say ""hi"", you","d'], { list: ['a{1,2}', 'b"c', 'say "hi", you', '"d'] }],
    [['--files=a,b', '--files=c'], { files: ['a,b', 'c'] }],
    [['--certs=a,b:x,y', '--certs', 'c,d'], { certs: ['a,b:x,y', 'c,d'] }],
    [['--pairs=a=1,b=2', '--pairs=c=3'], { pairs: ['a=1', 'b=2', 'c=3'] }],
    [['--whole-pairs=a=1,b=2', '--whole-pairs=c=3'], { 'whole-pairs': ['a=1,b=2', 'c=3'] }],
  ];
  for (const [args, given] of right)
    it(`reads ${args.join(' ')}`, () => assert.deepEqual(read(...args), { given, problems: [] }));

  const wrong: readonly (readonly [args: string[], problems: string[]])[] = [
    [['--nope'], ['unknown option --nope']],
    [
      ['--nope=1', 'x'],
      ['unknown option --nope', 'unexpected argument "x"'],
    ],
    [['--no-plain'], ['unknown option --no-plain']],
    [['--no-flag=true'], ['unknown option --no-flag']],
    [
      ['--__proto__=x', '--constructor'],
      ['unknown option --__proto__', 'unknown option --constructor'],
    ],
    [['--plain'], ['--plain needs a value']],
    [['--plain', '--flag'], ['--plain needs a value']],
    [['--flag', 'true'], ['unexpected argument "true"']],
    [['-x'], ['unknown option --x']],
    [['-plain=x'], ['unexpected argument "-plain=x"']],
    [['-x2'], ['unknown option --x']],
    [['--'], ['unknown option --']],
  ];
  for (const [args, problems] of wrong)
    it(`refuses ${args.join(' ')}`, () => assert.deepEqual(read(...args).problems, problems));
});
