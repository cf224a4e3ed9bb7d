import assert from 'node:assert/strict';
import type { Option } from './option.ts';
import { OptionsError } from './options-error.ts';
import { parseOptions } from './parse-options.ts';

const rows: readonly Option[] = [
  { name: 'plain', type: 'string', default: 'p', group: 'One', components: ['up', 'apiserver'], help: 'A text' },
  { name: 'servers', aliases: ['old-servers'], type: 'stringSlice', group: 'One', components: ['up', 'apiserver'], help: 'Some texts' },
  { name: 'flag', type: 'bool', default: 'true', defaults: { up: 'false' }, group: 'Two', components: ['up', 'apiserver'], help: 'A switch' },
  { name: 'count', type: 'int', group: 'Two', components: ['up', 'apiserver'], help: 'A number', check: (v) => (Number(v) > 5 ? undefined : 'must be above 5') },
  { name: 'only-up', type: 'duration', default: '5m0s', group: 'Two', components: ['up'], help: 'A time' },
];
const parse = (...args: string[]) => parseOptions(rows, 'up', args);
const problems = (...args: string[]): readonly string[] => {
  try {
    parse(...args);
  } catch (error) {
    assert.ok(error instanceof OptionsError, String(error));
    return error.problems;
  }
  return [];
};

describe('parseOptions', () => {
  it('gives defaults, those of the component first', () => {
    const values = parse();
    assert.deepEqual([values.string('plain'), values.bool('flag'), values.list('servers'), values.int('count'), values.durationMs('only-up')], ['p', false, [], 0, 300_000]);
    assert.equal(parseOptions(rows, 'apiserver', []).bool('flag'), true);
  });

  it('reads values behind a sign or a space, the last one of several', () => {
    assert.deepEqual(['--plain=a', '--plain=', '--plain=a=b'].map((arg) => parse(arg).string('plain')), ['a', '', 'a=b']);
    assert.equal(parse('--plain', 'x', '--plain', 'y').string('plain'), 'y');
    assert.equal(parse('--count', '7').int('count'), 7);
  });

  it('gathers lists, also from an alias', () => assert.deepEqual(parse('--servers=a, b', '--old-servers', 'c').list('servers'), ['a', 'b', 'c']));

  it('reads switches in every way in which they are written', () => {
    assert.deepEqual(['--flag', '--flag=true', '--no-flag', '--flag=false'].map((arg) => parseOptions(rows, 'apiserver', [arg]).bool('flag')), [true, true, false, false]);
  });

  const wrong: readonly (readonly [args: string[], problem: string])[] = [
    [['--nope'], 'unknown option --nope'],
    [['--nope=1'], 'unknown option --nope'],
    [['--no-nope'], 'unknown option --no-nope'],
    [['--__proto__=x'], 'unknown option --__proto__'],
    [['--constructor'], 'unknown option --constructor'],
    [['word'], 'unexpected argument "word"'],
    [['--plain'], '--plain needs a value'],
    [['--no-plain'], 'unknown option --no-plain'],
    [['--count=x'], '--count=x: must be a whole number'],
    [['--count=1.5'], '--count=1.5: must be a whole number'],
    [['--count=5'], '--count=5: must be above 5'],
    [['--only-up=5'], '--only-up=5: must be a duration such as 30s or 5m0s'],
    [['--flag=maybe'], '--flag=maybe: must be true or false'],
  ];
  for (const [args, problem] of wrong) it(`refuses ${args.join(' ')}`, () => assert.deepEqual(problems(...args), [problem]));

  it('refuses options of another component', () => assert.throws(() => parseOptions(rows, 'apiserver', ['--only-up=1s']), { message: 'unknown option --only-up' }));

  it('tells everything that is wrong at once', () => assert.deepEqual(problems('--nope', 'word', '--count=1', '--only-up=x').length, 4));
});
