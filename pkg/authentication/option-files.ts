import { readFileSync } from 'node:fs';
import { ClusterConfigError } from '../client/cluster-config.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem } from '../options/options-error.ts';

/** The options of one start, read for building; what is wrong with the files that they name is gathered. */
export class OptionFiles {
  readonly options: OptionValues;
  readonly problems: string[] = [];

  constructor(options: OptionValues) {
    this.options = options;
  }

  /** What `use` makes of the file that an option names; undefined where it names none, or a bad one. */
  use<T>(option: string, use: (file: string) => T): T | undefined {
    const file = this.options.string(option);
    return file === '' ? undefined : this.attempt(option, file, use);
  }

  /** The same for an option that names several. */
  useEach<T>(option: string, use: (file: string) => T): readonly T[] {
    return this.options.list(option).flatMap((file) => {
      const made = this.attempt(option, file, use);
      return made === undefined ? [] : [made];
    });
  }

  private attempt<T>(option: string, file: string, use: (file: string) => T): T | undefined {
    try {
      return use(file);
    } catch (error) {
      this.problems.push(optionProblem(option, file, wordsOf(error)));
      return undefined;
    }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof ClusterConfigError) return error.problems.join('; ');
  return error instanceof Error ? error.message : String(error);
}

export function readText(file: string): string {
  return readFileSync(file, 'utf8');
}
