import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from './api-server-options.ts';
import { OptionsError } from './options-error.ts';
import { parseOptions } from './parse-options.ts';

describe('the file of --config', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-config-'));
    file = path.join(dir, 'config.yaml');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const parse = (text: string, ...flags: string[]) => {
    writeFileSync(file, text);
    return parseOptions(apiServerOptions, 'up', [`--config=${file}`, ...flags]);
  };
  const problems = (text: string): string[] => {
    try {
      parse(text);
    } catch (error) {
      assert.ok(error instanceof OptionsError, String(error));
      return error.problems.map((problem) => problem.replace(`--config=${file}: `, ''));
    }
    return [];
  };

  it('has options by any of their names, lists and maps as YAML has them', () => {
    const values = parse(
      [
        'event-ttl: 5m',
        'etcd-prefix: /other',
        'target_ram_mb: 7',
        'anonymous-auth: false',
        'v: "4"',
        'cors-allowed-origins: ["https://a,b", c]',
        'oidc-signing-algs: RS256,ES256',
        'oidc-required-claim: {a: 1, b: x=y}',
        'runtime-config: [apps/v1=false]',
        'feature-gates:',
        '  TokenRequest: false',
        '  AllAlpha: true',
      ].join('\n'),
    );
    assert.deepEqual(
      ['event-ttl', 'store-prefix', 'target-ram-mb', 'anonymous-auth', 'v'].map((name) => [
        name,
        values.string(name),
        values.isGiven(name),
      ]),
      [
        ['event-ttl', '5m', true],
        ['store-prefix', '/other', true],
        ['target-ram-mb', '7', true],
        ['anonymous-auth', 'false', true],
        ['v', '4', true],
      ],
    );
    assert.deepEqual(
      [values.list('cors-allowed-origins'), values.list('oidc-signing-algs')],
      [
        ['https://a,b', 'c'],
        ['RS256', 'ES256'],
      ],
    );
    assert.deepEqual(
      [...values.pairs('oidc-required-claim'), ...values.pairs('feature-gates')],
      [
        ['a', '1'],
        ['b', 'x=y'],
        ['TokenRequest', 'false'],
        ['AllAlpha', 'true'],
      ],
    );
    assert.deepEqual([...values.pairs('runtime-config')], [['apps/v1', 'false']]);
  });

  it('yields to flags', () => {
    const values = parse(
      'event-ttl: 5m\nfeature-gates: {AllAlpha: true}\nv: 6\n',
      '--event-ttl=1s',
      '--feature-gates=TokenRequest=false',
    );
    assert.deepEqual(
      [values.string('event-ttl'), [...values.pairs('feature-gates')], values.int('v')],
      ['1s', [['TokenRequest', 'false']], 6],
    );
  });

  it('has empty items of lists left out, as flags have', () => {
    assert.deepEqual(parse('cors-allowed-origins: ["", a]').list('cors-allowed-origins'), ['a']);
    assert.deepEqual(problems('authorization-mode: [""]\nprofiling: ""\nevent-ttl: ""'), [
      '--event-ttl: must be a duration such as 30s or 5m0s',
      '--profiling: must be true or false',
      '--authorization-mode: must name at least one authorizer',
    ]);
  });

  it('may be empty', () => assert.deepEqual([problems(''), problems('# nothing\n'), problems('{}')], [[], [], []]));

  const wrong: readonly (readonly [text: string, problems: string[]])[] = [
    ['nope: 1\n__proto__: x', ['unknown option nope', 'unknown option __proto__']],
    ['config: x\nhelp: true', ['config is a flag only', 'help is a flag only']],
    ['etcd-prefix: /a\nstore-prefix: /b', ['store-prefix is there twice under names that mean the same']],
    [
      'event-ttl: [1s]\nanonymous-auth: {}\nv:',
      ['event-ttl: must be a single value', 'anonymous-auth: must be a single value', 'v: must be a single value'],
    ],
    [
      'oidc-signing-algs: {a: b}\nfeature-gates: 5x\nruntime-config: {apps/v1: [x]}',
      [
        'oidc-signing-algs: must be a list',
        'runtime-config: must be a mapping, or a list of key=value',
        '--feature-gates=5x: must be pairs such as Name=true, separated by commas',
      ],
    ],
    ['- a', ['must be a mapping from option names to values']],
    ['v: 1\nv: 2', ['line 2: key "v" already set in map']],
    ['event-ttl: soon', ['--event-ttl=soon: must be a duration such as 30s or 5m0s']],
  ];
  for (const [text, expected] of wrong)
    it(`refuses ${JSON.stringify(text)}`, () => assert.deepEqual(problems(text), expected));

  it('must be YAML, and must be there', () => {
    assert.equal(problems('a: [').length, 1);
    assert.throws(() => parseOptions(apiServerOptions, 'up', [`--config=${dir}/absent`]), {
      problems: [`--config=${dir}/absent: there is no such file`],
    });
    assert.throws(() => parseOptions(apiServerOptions, 'up', [`--config=${dir}`]), {
      problems: [`--config=${dir}: is a directory`],
    });
  });
});
