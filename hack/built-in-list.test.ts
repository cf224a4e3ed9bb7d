import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

/** A resource that is added later is in no list that was read at the start. */
describe('the list of built-in resources', () => {
  it('is read where registries are filled, and by tests and tools that are about the list', () =>
    assert.deepEqual(readersOf('all-resources'), ['pkg/api/built-in-registry.ts']));

  it('fills the registry of a server, that of a thread, and those by which names in options are checked', () =>
    assert.deepEqual(
      readersOf('built-in-registry').filter((file) => !file.startsWith('pkg/controlplane/config/')),
      ['pkg/server/representation/encode-items.ts'],
    ));
});

function readersOf(module: string): string[] {
  return ['pkg', 'cmd']
    .flatMap(sources)
    .filter((file) => !/test\.ts$|-testing\.ts$/.test(file) && readFileSync(file, 'utf8').includes(`/${module}.ts'`));
}

const sources = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${dir}/${file}`);
