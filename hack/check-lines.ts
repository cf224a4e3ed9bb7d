import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTooLong } from './line-length.ts';

/** Reports comments beyond the last column, which the formatter leaves as they are. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

const problems: string[] = [];
for (const file of files) {
  for (const [i, line] of readFileSync(path.join(root, file), 'utf8').split('\n').entries()) {
    if (isTooLong(line)) problems.push(`${file}:${i + 1}: longer than 120 characters`);
  }
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
