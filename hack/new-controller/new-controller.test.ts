import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** In a copy of the tree, without what is only built or installed. */
describe('make new-controller', function () {
  this.timeout(180_000);
  let copy: string;
  before(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'binnacle-new-controller-'));
    for (const each of readdirSync(root)) {
      if (['.git', '.tools', 'dist', 'node_modules', 'coverage', 'charts', 'test'].includes(each)) continue;
      cpSync(path.join(root, each), path.join(copy, each), { recursive: true });
    }
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));
  const run = (program: string, ...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(path.join(copy, 'node_modules/.bin', program), args, {
      cwd: copy,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const passes = (program: string, ...args: string[]): void => {
    const { status, output } = run(program, ...args);
    assert.equal(status, 0, `${program}: ${output}`);
  };

  it('makes a controller that passes lint and its own test at once', () => {
    passes('tsx', 'hack/new-controller/main.ts', 'sample-thing');
    const files = readdirSync(path.join(copy, 'pkg/controllers/sample-thing'));
    assert.deepEqual(files.toSorted(), ['controller.test.ts', 'controller.ts', 'mark-object.ts', 'reconcile.ts']);
    const folder = 'pkg/controllers/sample-thing';
    passes('prettier', '--check', folder);
    passes('oxlint', '--quiet', folder);
    passes('tsx', 'hack/check-layers.ts');
    // The copy lacks what other tests import; only what concerns the new files counts.
    assert.doesNotMatch(run('tsc', '--noEmit').output, /sample-thing/);
    passes('mocha', `${folder}/*.test.ts`);
  });

  it('refuses names that are no folder names, and those that are taken', () => {
    for (const name of ['', '../up', 'serviceaccount']) {
      assert.equal(run('tsx', 'hack/new-controller/main.ts', name).status, 1, name);
    }
  });
});
