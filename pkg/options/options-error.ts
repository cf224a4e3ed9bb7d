/** All problems of the options of a start, one line each: option, value, and the broken rule. */
export class OptionsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'OptionsError';
    this.problems = problems;
  }
}

/** One line of an `OptionsError`. */
export function optionProblem(option: string, value: string, rule: string): string {
  return value === '' ? `--${option}: ${rule}` : `--${option}=${value}: ${rule}`;
}
