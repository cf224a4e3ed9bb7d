import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTooLong } from './line-length.ts';
import { unplainWord } from './plain-words.ts';
import { processState } from './process-state.ts';
import { swallowedErrors } from './swallowed-errors.ts';

/**
 * Reports comments beyond the last column, which the formatter does not break, words that are not plain, swallowed
 * errors, and state that a module keeps for the whole process.
 */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const files = execFileSync('git', ['ls-files', '*.ts', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

const problems: string[] = [];
for (const file of files) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const isMarkdown = file.endsWith('.md');
  for (const [i, line] of source.split('\n').entries()) {
    if (!isMarkdown && isTooLong(line)) problems.push(`${file}:${i + 1}: longer than 120 characters`);
    const word = unplainWord(line, isMarkdown);
    if (word) problems.push(`${file}:${i + 1}: "${word}" is not plain: name who or what does it (hack/plain-words.ts)`);
  }
  if (!mayNotSwallow(file)) continue;
  for (const line of swallowedErrors(source))
    problems.push(`${file}:${line}: an error is swallowed; report it, or say in a comment why not`);
  if (!isServerCode(file)) continue;
  for (const line of processState(source))
    problems.push(`${file}:${line}: state of a module; give it to a server, or say why it is "Process-wide: …"`);
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}

/** Pages run in a browser, one to a process. */
function isServerCode(file: string): boolean {
  return /^(pkg|cmd)\//.test(file) && !/-for-test\.ts$|\/browser\//.test(file);
}

function mayNotSwallow(file: string): boolean {
  return /^(pkg|cmd|hack)\//.test(file) && !/\.test\.ts$|testing\.ts$/.test(file);
}
