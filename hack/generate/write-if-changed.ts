import { readFileSync, writeFileSync } from 'node:fs';

/** Leaves the file alone where it holds the content already, so that it keeps its time. */
export function writeIfChanged(file: string, content: string): void {
  try {
    if (readFileSync(file, 'utf8') === content) return;
  } catch {
    // Not there yet.
  }
  writeFileSync(file, content);
}
