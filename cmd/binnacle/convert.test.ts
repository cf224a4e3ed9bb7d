import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './run-command-testing.ts';

const golden = path.resolve(import.meta.dirname, '../../test/golden');
const convert = (args: readonly string[], stdin: Uint8Array | string = '') =>
  runCommand(['convert', ...args], { stdin });

describe('binnacle convert', () => {
  it('turns an object from one form into the others, recognizing its own', async () => {
    const map =
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"ü"},"data":{"__proto__":"x","n":"9007199254740993"}}';
    const protobuf = await convert(['--to', 'protobuf'], map);
    assert.deepEqual([protobuf.status, protobuf.stderr, protobuf.stdout.subarray(0, 4).toString()], [0, '', 'k8s\0']);
    const yaml = await convert(['--to=yaml'], protobuf.stdout);
    assert.equal(
      yaml.stdout.toString(),
      'apiVersion: v1\ndata:\n  __proto__: x\n  "n": "9007199254740993"\nkind: ConfigMap\nmetadata:\n  name: ü\n',
    );
    const json = await convert(['--from', 'yaml', '--to', 'json'], yaml.stdout);
    const parsed = JSON.parse(json.stdout.toString()) as { data: object; metadata: object };
    assert.deepEqual(
      [Object.entries(parsed.data).sort(), parsed.metadata],
      [
        [
          ['__proto__', 'x'],
          ['n', '9007199254740993'],
        ],
        { name: 'ü' },
      ],
    );
  });

  it('reads what a stock server stored', async () => {
    const [stored, json] = ['pb', 'json'].map((ending) => readFileSync(path.join(golden, `deployment.${ending}`)));
    const { status, stdout } = await convert(['--to', 'json'], stored);
    assert.deepEqual([status, JSON.parse(stdout.toString())], [0, JSON.parse(json!.toString())]);
    const printed = await convert(['--to', 'json'], Buffer.concat([stored!, Buffer.from('\n')]));
    assert.deepEqual([printed.status, printed.stderr, printed.stdout], [0, '', stdout]);
  });

  it('tells what protobuf has no place for, and what it cannot read since it is encrypted', async () => {
    const lossy = await convert(
      ['--to', 'protobuf'],
      '{"kind":"ConfigMap","apiVersion":"v1","dato":{"a":"b"},"metadata":{"name":"a","nick":"b"}}',
    );
    assert.deepEqual(
      [lossy.status, lossy.stderr.trim().split('\n').sort()],
      [
        0,
        [
          'binnacle convert: left out, since the kind has no such field: dato',
          'binnacle convert: left out, since the kind has no such field: metadata.nick',
        ],
      ],
    );
    const encrypted = await convert(['--to', 'json'], 'k8s:enc:aescbc:v1:key1:\u0001\u0002');
    assert.deepEqual(
      [encrypted.status, encrypted.stdout.length, encrypted.stderr],
      [
        1,
        0,
        'binnacle convert: the value is encrypted (aescbc:v1:key1): read the object from a server that has the key\n',
      ],
    );
  });

  it('tells apart wrong options and wrong input', async () => {
    const failing: readonly (readonly [args: string[], stdin: string, status: number, stderr: RegExp])[] = [
      [['--to', 'xml'], '{}', 2, /^binnacle convert: --to and --from take json, yaml, protobuf\n\nUsage: /],
      [['--nope'], '{}', 2, /^binnacle convert: Unknown option '--nope'[^]*Usage: /],
      [['--to', 'json'], '{"kind":"Pod"}', 1, /^binnacle convert: the input has no apiVersion and kind\n$/],
    ];
    await Promise.all(
      failing.map(async ([args, stdin, status, stderr]) => {
        const result = await convert(args, stdin);
        assert.match(result.stderr, stderr);
        assert.deepEqual([result.status, result.stdout.length], [status, 0]);
      }),
    );
  });
});
