import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules of the project, read without a compiler: each TypeScript file and what it imports. */
export interface SourceFile {
  /** From the root of the tree, with `/`. */
  readonly file: string;
  readonly text: string;
  /** Files of the tree that it imports, in order. */
  readonly imports: readonly string[];
}

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Every TypeScript file below the folders. */
export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((f) => `${folder}/${f}`),
    )
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      return { file, text, imports: importsOf(file, text) };
    });
}

export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier]) => path.posix.join(path.posix.dirname(file), specifier!));
}

export function isTestCode(file: string): boolean {
  return /\.test\.ts$|(?:testing|-for-test|-contract|store-model|event-collector)\.ts$/.test(file);
}
