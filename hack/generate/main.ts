import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateApiPage } from '../generate-api-page/generate-api-page.ts';
import { generate } from './generate.ts';
import { writeIfChanged } from './write-if-changed.ts';

/** Writes `pkg/generated/`: the API types from `proto/`, and the files of the API page. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
generate(path.join(root, 'proto'), path.join(root, 'pkg/generated'));
writeIfChanged(path.join(root, 'pkg/generated/api-page.json'), await generateApiPage());
