import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { directoryPage } from './directory-page.ts';

describe('directoryPage', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-page-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const linksOf = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('<a '));

  it('links to the entries, in order', async () => {
    for (const name of ['b.log', 'a.log']) writeFileSync(path.join(dir, name), '');
    mkdirSync(path.join(dir, 'pods'));
    assert.deepEqual(linksOf(await directoryPage(dir)), [
      '<a href="./a.log">a.log</a>',
      '<a href="./b.log">b.log</a>',
      '<a href="./pods/">pods/</a>',
    ]);
  });

  it('shows names as names, with any content', async () => {
    for (const name of ['<script>alert(1)<', 'javascript:alert(1)', `quote"'&`, 'per%cent?#', 'ü'])
      writeFileSync(path.join(dir, name), '');
    assert.deepEqual(linksOf(await directoryPage(dir)), [
      '<a href="./%3Cscript%3Ealert(1)%3C">&lt;script&gt;alert(1)&lt;</a>',
      '<a href="./javascript%3Aalert(1)">javascript:alert(1)</a>',
      '<a href="./per%25cent%3F%23">per%cent?#</a>',
      '<a href="./quote%22%27%26">quote&#34;&#39;&amp;</a>',
      '<a href="./%C3%BC">ü</a>',
    ]);
  });

  it('reports that there are more entries than it shows', async () => {
    for (let i = 0; i < 10; i++) writeFileSync(path.join(dir, `${i}`), '');
    assert.equal(linksOf(await directoryPage(dir, 10)).length, 10);
    assert.doesNotMatch(await directoryPage(dir, 10), /of more/);
    assert.equal(linksOf(await directoryPage(dir, 9)).length, 9);
    assert.match(await directoryPage(dir, 9), /9 of more/);
  });
});
