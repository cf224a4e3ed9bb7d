import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

/** A resource that is added later is in no list that was read at the start. */
describe('the list of built-in resources', () => {
  it('is read where registries are filled, and by tests and tools that are about the list', () => {
    const readers = ['pkg', 'cmd']
      .flatMap(sources)
      .filter(
        (file) => !/test\.ts$|-testing\.ts$/.test(file) && /['/]all-resources\.ts'/.test(readFileSync(file, 'utf8')),
      );
    assert.deepEqual(readers, ['pkg/api/built-in-registry.ts']);
  });
});

const sources = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${dir}/${file}`);
