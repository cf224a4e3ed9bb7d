import { readFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProfileFrame } from './profile-writer.ts';

/** A place of the source map, where it has one; lines and columns from 0. */
interface Mapped {
  readonly generatedLine: number;
  readonly generatedColumn: number;
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
  readonly name?: string;
}

/**
 * Functions as their source calls them: the build shortens names, and puts many files into one. Reads the maps beside
 * the scripts, each once; takes up to tenths of a second and belongs on a thread.
 */
export class OriginalFrames {
  private readonly maps = new Map<string, SourceMap | undefined>();

  of({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): ProfileFrame {
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const map = this.mapOf(file);
    const place = map === undefined ? undefined : entryAt(map, lineNumber, columnNumber);
    if (map === undefined || place === undefined)
      return named({ name: functionName, file, line: lineNumber + 1, column: columnNumber + 1 });
    return named({
      name: functionName === '' ? '' : (originalName(map, functionName, lineNumber, columnNumber) ?? functionName),
      file: path.resolve(path.dirname(file), place.originalSource),
      line: place.originalLine + 1,
      column: place.originalColumn + 1,
    });
  }

  private mapOf(file: string): SourceMap | undefined {
    if (!path.isAbsolute(file)) return undefined;
    if (!this.maps.has(file)) this.maps.set(file, readMap(`${file}.map`));
    return this.maps.get(file);
  }
}

/** Tools join functions of one name: anonymous ones are distinguished by their place. */
function named(frame: ProfileFrame): ProfileFrame {
  if (frame.name !== '') return frame;
  return {
    ...frame,
    name: frame.file === '' ? '(anonymous)' : `(anonymous) ${path.basename(frame.file)}:${frame.line}`,
  };
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Scripts of packages have none, or none that can be read: their own names do.
    return undefined;
  }
}

/**
 * A function begins at its parameters; before them stands its name, or its name and `=`. Elsewhere the nearest name of
 * the map is another thing's.
 */
function originalName(map: SourceMap, name: string, line: number, column: number): string | undefined {
  for (const start of [column - name.length, column - name.length - 1]) {
    const entry = entryAt(map, line, start);
    if (entry?.name !== undefined && entry.generatedLine === line && entry.generatedColumn === start) return entry.name;
  }
  return undefined;
}

function entryAt(map: SourceMap, line: number, column: number): Mapped | undefined {
  const entry = map.findEntry(line, column);
  return 'originalSource' in entry && entry.originalSource !== undefined ? entry : undefined;
}
