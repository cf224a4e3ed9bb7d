import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { apiServerOptions } from '../pkg/options/api-server-options.ts';
import type { Option } from '../pkg/options/option.ts';

/**
 * That no row of the table of options is a promise alone: the server reads it, and a test sets it to see what it does.
 */

const root = path.resolve(import.meta.dirname, '..');
const isTest = (file: string): boolean => /\.test\.ts$|testing\.ts$|fixtures\//.test(file);

function textOf(dirs: readonly string[], wanted: (file: string) => boolean): string {
  const files = dirs.flatMap((dir) =>
    readdirSync(path.join(root, dir), { recursive: true, encoding: 'utf8' }).map((file) => path.join(dir, file)),
  );
  return files
    .filter((file) => file.endsWith('.ts') && wanted(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
}

/** The name between quotes, or behind dashes; a variable may distinguish the two audit sinks. */
function mention({ name, aliases = [] }: Option): RegExp {
  const names = [name, ...aliases].map((text) => text.replace(/^audit-(log|webhook)-/, 'audit-(?:$1|\\$\\{[^}]+\\})-'));
  return new RegExp(`(?:['"\`]|--)(?:${names.join('|')})(?=['"\`= ])`);
}

describe('every option that does something', () => {
  const acting = apiServerOptions.filter((option) => option.inert === undefined);
  // Read where arguments are.
  const ofTheCommand = new Set(['config', 'help', 'version', 'data-dir', 'cert-dir']);

  it('is read by the server', () => {
    const source = textOf(
      ['pkg', 'cmd'],
      (file) => !isTest(file) && (!file.startsWith('pkg/options/') || file === 'pkg/options/feature-gates.ts'),
    );
    assert.deepEqual(
      acting
        .filter((option) => !ofTheCommand.has(option.name) && !mention(option).test(source))
        .map(({ name }) => name),
      [],
    );
  });

  it("is set by a test outside of the table's own", () => {
    const tests = textOf(['pkg', 'cmd', 'test'], (file) => isTest(file) && !file.startsWith('pkg/options/'));
    assert.deepEqual(
      acting.filter((option) => !mention(option).test(tests)).map(({ name }) => name),
      [],
    );
  });

  it('is not said to do nothing where the server reads it', () => {
    const source = textOf(['pkg', 'cmd'], (file) => !isTest(file) && !file.startsWith('pkg/options/'));
    const reads = (name: string): boolean => new RegExp(`options\\.\\w+\\('${name}'`).test(source);
    assert.deepEqual(
      apiServerOptions.filter((option) => option.inert !== undefined && reads(option.name)).map(({ name }) => name),
      [],
    );
  });
});

describe('the configuration of controllers', () => {
  it('has no field that no controller reads', () => {
    const config = readFileSync(path.join(root, 'pkg/controllers/controllers-config.ts'), 'utf8');
    const fields = [...config.matchAll(/readonly (\w+): (?!\{)/g)].map(([, name]) => name!);
    const source = textOf(
      ['pkg/controllers', 'pkg/controlplane'],
      (file) => !isTest(file) && !file.endsWith('controllers-config.ts'),
    );
    assert.deepEqual(
      fields.filter((name) => !new RegExp(`\\b${name}\\b`).test(source)),
      [],
    );
  });
});
