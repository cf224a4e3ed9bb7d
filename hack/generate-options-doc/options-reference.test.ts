import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { allResources } from '../../pkg/api/all-resources.ts';
import { upOptions } from '../../pkg/options/up-options.ts';
import { optionGroup } from '../../pkg/options/option.ts';
import { optionsReference } from './options-reference.ts';
import { programs } from './programs.ts';

describe('the reference of options', () => {
  it('is up to date (make docs writes it)', () => {
    const written = readFileSync(path.resolve(import.meta.dirname, '../../docs/options.md'), 'utf8');
    assert.equal(written, optionsReference(upOptions, allResources, programs));
  });

  it('shows names, defaults, and what an option does not do', () => {
    const options = optionGroup('Things', [
      { name: 'one', aliases: ['uno', 'o'], type: 'int', default: '1', defaults: { up: '2' }, help: 'A number a|b' },
      {
        name: 'two',
        type: 'string',
        components: ['up'],
        inert: 'there are no things',
        deprecated: 'use one',
        help: 'A text',
      },
      { name: 'three', type: 'string', default: 'x', defaults: { up: '' }, help: 'Another' },
    ]);
    const text = optionsReference(options, []);
    const start = text.indexOf('## Things');
    assert.deepEqual(text.slice(start, text.indexOf('## Features')).trim().split('\n'), [
      '## Things',
      '',
      '| Option | Type | Default | Effect |',
      '| --- | --- | --- | --- |',
      '| `--one`, `--uno`, `-o` | int | `1`; with up `2` | A number a\\|b. |',
      '| `--two` | string |  | A text. With `up` alone. Deprecated: use one. **Does nothing**: there are no things. |',
      '| `--three` | string | `x`; with up none | Another. |',
    ]);
  });
});
