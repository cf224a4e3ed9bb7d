import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page is merged by keeping the lines of both sides, which brings back what one of them has moved or rewritten. */
describe('docs/compatibility.md', () => {
  const lines = readFileSync(fileURLToPath(new URL('../docs/compatibility.md', import.meta.url)), 'utf8').split('\n');
  const twice = (texts: readonly string[]): string[] => texts.filter((text, i) => texts.indexOf(text) !== i);

  it('has each heading and each row once', () => {
    assert.deepEqual(twice(lines.filter((line) => line.startsWith('#'))), []);
    const rows = lines.filter((line) => line.startsWith('| ') && !line.startsWith('| where |'));
    assert.deepEqual(
      twice(rows.map((row) => row.split(' | ')[0]!)),
      [],
      'rows that stand there twice, perhaps after a merge: take the page as it is on main, and change your own row in it',
    );
  });

  it('has every row in a table', () => {
    for (const [i, line] of lines.entries())
      if (line.startsWith('|'))
        assert.ok(
          i > 0 && (lines[i - 1]!.startsWith('|') || (lines[i - 1] === '' && line.startsWith('| where |'))),
          `row outside of a table: ${line}`,
        );
  });
});
