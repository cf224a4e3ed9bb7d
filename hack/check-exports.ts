import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTestCode, readSources } from './imports.ts';
import { unusedExports } from './unused-exports.ts';

/**
 * Refuses exports that nothing imports. Catalogues, what generated code may call and the library for controllers offer
 * more than the tree uses today.
 */
const OFFERED =
  /\/tokens\.ts$|^pkg\/client\/|^pkg\/apimachinery\/clock\.ts$|^pkg\/codec\/protobuf\/json-values\.ts$|^pkg\/generated\//;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const tree = readSources(root, ['pkg', 'cmd', 'hack', 'test']);
const checked = tree.filter(({ file }) => /^(?:pkg|cmd)\//.test(file) && !isTestCode(file) && !OFFERED.test(file));
const problems = unusedExports(checked, tree);
if (problems.length > 0) {
  process.stderr.write(`${problems.map((problem) => `${problem} is exported and never imported`).join('\n')}\n`);
  process.exitCode = 1;
}
