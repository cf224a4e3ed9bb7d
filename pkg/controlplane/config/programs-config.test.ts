import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseOptions } from '../../options/parse-options.ts';
import { upOptions } from '../../options/up-options.ts';
import { readProgramsConfig } from './programs-config.ts';

describe('readProgramsConfig', () => {
  let dir: string;
  before(() => (dir = mkdtempSync(path.join(tmpdir(), 'binnacle-programs-'))));
  after(() => rmSync(dir, { recursive: true, force: true }));

  const read = (...args: readonly string[]): ReturnType<typeof readProgramsConfig> =>
    readProgramsConfig(parseOptions(upOptions, 'up', args));

  it('simulates volumes where default nodes are simulated and claims are bound', () => {
    const file = path.join(dir, 'nodes.yaml');
    writeFileSync(file, '- {kind: Node, metadata: {name: a}}\n');
    const cases: readonly (readonly [args: readonly string[], simulates: boolean])[] = [
      [[], true],
      [['--simulated-nodes=10'], true],
      [['--simulated-nodes=0'], false],
      [[`--simulated-nodes=${file}`], false],
      [['--controllers='], false],
      [['--controllers=*,-persistentvolume-binder'], false],
      [['--controllers=persistentvolume-binder-controller'], true],
    ];
    for (const [args, simulates] of cases) assert.equal(read(...args)?.simulatesVolumes, simulates, args.join(' '));
  });

  it('takes nodes of a file, and of a number', () => {
    const file = path.join(dir, 'list.yaml');
    writeFileSync(file, 'kind: List\nitems: [{kind: Node, metadata: {name: a}}, {kind: Node, metadata: {name: b}}]\n');
    const names = (value: string): unknown => read(`--simulated-nodes=${value}`)?.nodes.map((n) => n.metadata.name);
    assert.deepEqual(names(file), ['a', 'b']);
    assert.deepEqual(names('2'), ['node-1', 'node-2']);
    assert.throws(() => names(path.join(dir, 'absent.yaml')), /--simulated-nodes=.*absent\.yaml/);
  });
});
