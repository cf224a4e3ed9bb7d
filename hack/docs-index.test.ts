import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const docs = path.resolve(import.meta.dirname, '../docs');

describe('docs/README.md', () => {
  const links = [...readFileSync(path.join(docs, 'README.md'), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
    ([, to]) => to!,
  );

  it('links to files that exist', () =>
    assert.deepEqual(
      links.filter((link) => !existsSync(path.join(docs, link))),
      [],
    ));

  it('lists every document', () =>
    assert.deepEqual(
      readdirSync(docs).filter((name) => name.endsWith('.md') && name !== 'README.md' && !links.includes(name)),
      [],
    ));
});

describe('CHANGELOG.md', () => {
  it('says with its first word what each change is', () => {
    const text = readFileSync(path.resolve(docs, '../CHANGELOG.md'), 'utf8');
    assert.deepEqual(
      text
        .split('\n')
        .filter((line) => line.startsWith('- ') && !/^- (?:Added|Changed|Fixed|Removed|Security)\b/.test(line)),
      [],
    );
  });
});
