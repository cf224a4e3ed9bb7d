const BARE_CATCH = /catch\s*\{|\.catch\(\(\)\s*=>/g;
const COMMENT = /\/\/|\/\*/;
const REPORTS = /\bthrow\b|\b(?:report|onError|warn|error|refuse|reject|fail|problem|tell)\w*\(/i;

/**
 * Lines of a source where an error is caught without a name, and the block neither reports anything nor says in a
 * comment why there is nothing to report. Where the method of a promise catches, the comment stands right above it.
 */
export function swallowedErrors(source: string): number[] {
  const lines: number[] = [];
  for (const match of source.matchAll(BARE_CATCH)) {
    const handled = match[0].startsWith('.') ? linesAround(source, match.index) : blockAt(source, match.index);
    if (!COMMENT.test(handled) && !REPORTS.test(handled)) lines.push(source.slice(0, match.index).split('\n').length);
  }
  return lines;
}

/** From the opening brace after `index` to the one that closes it. */
function blockAt(source: string, index: number): string {
  const start = source.indexOf('{', index);
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    if (source[i] === '{') depth++;
    if (source[i] === '}' && --depth === 0) return source.slice(start, i + 1);
  }
  return source.slice(start);
}

/** The line of `index` and the one above. */
function linesAround(source: string, index: number): string {
  const end = source.indexOf('\n', index);
  const before = source.lastIndexOf('\n', source.lastIndexOf('\n', index) - 1);
  return source.slice(before + 1, end < 0 ? undefined : end);
}
