/** Reading what kubectl printed. */

const age = /^(\d+[smhdy])+$/;

/** Rows of a table, cells apart by two spaces or more; ages, which change by the second, become `AGE`. */
export function rows(output: string): string[][] {
  return lines(output).map((line) => line.split(/ {2,}/).map((cell) => (age.test(cell) ? 'AGE' : cell)));
}

/** The lines, without white space at their ends and without empty ones. */
export function lines(output: string): string[] {
  return output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** The fields of `kubectl describe`, white space in each line made single: `Name: web`. */
export function described(output: string): string[] {
  return lines(output).map((line) => line.trim().replaceAll(/\s+/g, ' '));
}
