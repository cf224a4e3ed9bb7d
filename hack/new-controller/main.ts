import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { controllerFiles } from './controller-files.ts';

/** `main.ts NAME`: makes the folder of a new controller, with its test, in the tree that is the working directory. */
const [name = ''] = process.argv.slice(2);
const dir = path.resolve('pkg/controllers', name);
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) fail('usage: make new-controller NAME=some-name');
if (existsSync(dir)) fail(`${path.relative('.', dir)} is there already`);
mkdirSync(dir, { recursive: true });
for (const [file, text] of Object.entries(controllerFiles(name))) {
  writeFileSync(path.join(dir, file), text);
  process.stdout.write(`${path.relative('.', path.join(dir, file))}\n`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
