import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.ts';

/** Writes `pkg/generated/` from `proto/`. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
generate(path.join(root, 'proto'), path.join(root, 'pkg/generated'));
