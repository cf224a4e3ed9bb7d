import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { allResources } from '../../pkg/api/all-resources.ts';
import { upOptions } from '../../pkg/options/up-options.ts';
import { optionsReference } from './options-reference.ts';
import { programs } from './programs.ts';

/** Writes docs/options.md from the table of options. */
writeFileSync(
  path.resolve(import.meta.dirname, '../../docs/options.md'),
  optionsReference(upOptions, allResources, programs),
);
