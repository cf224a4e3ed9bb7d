const COLUMNS_MAX = 120;

const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** True for comments beyond the last column that could be broken. The formatter sees to the code. */
export function isTooLong(line: string): boolean {
  if (line.length <= COLUMNS_MAX || !COMMENT.test(line) || /oxlint|eslint/.test(line)) return false;
  return line.trim().split(/\s+/).length > 2;
}
