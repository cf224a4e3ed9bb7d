import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/**
 * Packages that would run a script when they are installed, and what it is for. Look at a package before you add it.
 */
const KNOWN: Readonly<Record<string, string>> = {
  lmdb: 'looks for the binary of the platform, and builds it where none is published: run by the Makefile',
  '@scarf/scarf': 'counts installations',
  protobufjs: 'prints a notice about versions',
  esbuild: 'puts the binary in the place of a starter that finds it as well',
  'msgpackr-extract': 'builds a faster decoder where none is published; msgpackr does without',
};

describe('install scripts', () => {
  it('are off, and known', () => {
    assert.match(readFileSync('.npmrc', 'utf8'), /^ignore-scripts=true$/m);
    assert.match(readFileSync('Makefile', 'utf8'), /npm rebuild lmdb --ignore-scripts=false/);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const found = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    assert.deepEqual([...new Set(found)].sort(), Object.keys(KNOWN).sort());
  });
});
