import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
/** Cells of the tables, without their heads. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter(([first]) => first !== 'class' && first !== 'threat');
const filesIn = (cell: string): string[] => [...cell.matchAll(/`((?:test|pkg|hack)\/[\w./-]+)`/g)].map((m) => m[1]!);

describe('docs/security.md', () => {
  it('names files that exist', () => {
    const files = filesIn(text);
    assert.ok(files.length > 30, String(files.length));
    assert.deepEqual(
      files.filter((file) => !existsSync(path.join(root, file))),
      [],
    );
  });

  it('has a defence and a test for every threat', () => {
    assert.ok(rows.length > 20, String(rows.length));
    for (const [threat, defence = '', tests = ''] of rows) {
      assert.notEqual(defence, '', threat);
      const files = filesIn(tests);
      assert.ok(files.length > 0 && files.every((file) => file.endsWith('.test.ts')), `${threat}: ${tests}`);
    }
  });

  it('lists each known class', () => {
    for (const number of [
      '2018-1002105',
      '2019-11247',
      '2019-11253',
      '2020-8559',
      '2020-8562',
      '2021-25735',
      '2022-3162',
      '2022-3172',
      '2023-2727',
      '2023-2728',
      '2023-44487',
    ])
      assert.ok(text.includes(`CVE-${number}`), number);
  });
});
