import assert from 'node:assert/strict';
import type { Option, OptionType } from './option.ts';
import { OptionsError } from './options-error.ts';
import { parseOptions, readOptions } from './parse-options.ts';

const rows: readonly Option[] = [
  { name: 'plain', type: 'string', default: 'p', group: 'One', components: ['up', 'apiserver'], help: 'A text' },
  {
    name: 'servers',
    aliases: ['old-servers'],
    type: 'stringSlice',
    group: 'One',
    components: ['up', 'apiserver'],
    help: 'Some texts',
  },
  {
    name: 'flag',
    type: 'bool',
    default: 'true',
    defaults: { up: 'false' },
    group: 'Two',
    components: ['up', 'apiserver'],
    help: 'A switch',
  },
  {
    name: 'count',
    type: 'int',
    group: 'Two',
    components: ['up', 'apiserver'],
    help: 'A number',
    check: (v) => (Number(v) > 5 ? undefined : 'must be above 5'),
  },
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
    assert.deepEqual(
      [
        values.string('plain'),
        values.bool('flag'),
        values.list('servers'),
        values.int('count'),
        values.durationMs('only-up'),
      ],
      ['p', false, [], 0, 300_000],
    );
    assert.equal(parseOptions(rows, 'apiserver', []).bool('flag'), true);
  });

  it('returns times exactly, and as timers take them', () => {
    const values = parse('--only-up=1000h');
    assert.deepEqual([values.durationMs('only-up'), values.timerMs('only-up')], [3_600_000_000, 2 ** 31 - 1]);
  });

  it('reads values behind a sign or a space, the last one of several', () => {
    assert.deepEqual(
      ['--plain=a', '--plain=', '--plain=a=b'].map((arg) => parse(arg).string('plain')),
      ['a', '', 'a=b'],
    );
    assert.equal(parse('--plain', 'x', '--plain', 'y').string('plain'), 'y');
    assert.equal(parse('--count', '7').int('count'), 7);
  });

  it('reads the other spellings of a value', () => {
    const typed = (type: OptionType, text: string) => readOptions([{ ...rows[0]!, type }], 'up', [`--plain=${text}`]);
    const spellings: readonly (readonly [type: OptionType, text: string, value: string])[] = [
      ['bool', 'T', 'true'],
      ['bool', '0', 'false'],
      ['mapStringBool', 'A = t,B=FALSE', 'A=true,B=false'],
      ['ip', ' ::1 ', '::1'],
      ['ipNet', ' 10.0.0.0/8', '10.0.0.0/8'],
      ['portRange', '30000', '30000-30000'],
      ['portRange', '30000+10', '30000-30010'],
    ];
    for (const [type, text, value] of spellings) {
      const { values, problems: found } = typed(type, text);
      assert.deepEqual([values.string('plain'), found], [value, []], text);
    }
    const numbers: readonly (readonly [type: OptionType, text: string, value: number])[] = [
      ['int', '+5', 5],
      ['int', '-5', -5],
      ['int', '0x1f', 31],
      ['uint', '0', 0],
      ['float32', '.5', 0.5],
      ['float32', '5.', 5],
      ['float32', '+1e+2', 100],
    ];
    for (const [type, text, value] of numbers) {
      const { values, problems: found } = typed(type, text);
      assert.deepEqual([values.float('plain'), found], [value, []], text);
    }
    for (const [type, text] of [
      ['int', '010'],
      ['int', '1_000'],
      ['uint', '-1'],
      ['float32', '.'],
      ['float32', 'NaN'],
      ['float32', 'Inf'],
    ] as const)
      assert.equal(typed(type, text).problems.length, 1, text);
  });

  it('accepts an empty text only where it has a meaning', () => {
    const empty = (type: OptionType) => readOptions([{ ...rows[0]!, type }], 'up', ['--plain=']).problems;
    for (const type of [
      'string',
      'ip',
      'stringSlice',
      'stringArray',
      'mapStringString',
      'mapStringBool',
      'namedCertKey',
    ] as const)
      assert.deepEqual(empty(type), [], type);
    for (const type of ['bool', 'int', 'uint', 'float32', 'duration', 'ipNet', 'portRange'] as const)
      assert.match(empty(type).join(), /^--plain: must be /, type);
  });

  it('reads an empty text as the default where only some texts make sense', () => {
    const { values, problems: found } = readOptions(
      [{ ...rows[0]!, check: (text) => (text === 'p' ? undefined : 'must be p') }],
      'up',
      ['--plain='],
    );
    assert.deepEqual([values.string('plain'), values.isGiven('plain'), found], ['p', false, []]);
  });

  it('gathers lists, also from an alias', () =>
    assert.deepEqual(parse('--servers=a, b', '--old-servers', 'c').list('servers'), ['a', 'b', 'c']));

  it('reads switches in every spelling', () => {
    assert.deepEqual(
      ['--flag', '--flag=true', '--no-flag', '--flag=false'].map((arg) =>
        parseOptions(rows, 'apiserver', [arg]).bool('flag'),
      ),
      [true, true, false, false],
    );
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
  for (const [args, problem] of wrong)
    it(`refuses ${args.join(' ')}`, () => assert.deepEqual(problems(...args), [problem]));

  it('refuses options of another component', () =>
    assert.throws(() => parseOptions(rows, 'apiserver', ['--only-up=1s']), { message: 'unknown option --only-up' }));

  it('leaves out what is wrong, item by item', () => {
    const read = (text: string) =>
      readOptions(
        [{ ...rows[1]!, default: 'd', check: (item) => (item.startsWith('x') ? 'must not' : undefined) }],
        'up',
        [`--servers=${text}`],
      ).values;
    assert.deepEqual(
      [read('a,x,b').list('servers'), read('x').list('servers'), read('a,x').isGiven('servers')],
      [['a', 'b'], ['d'], false],
    );
  });

  it('reports everything that is wrong at once', () =>
    assert.deepEqual(problems('--nope', 'word', '--count=1', '--only-up=x').length, 4));
});
