import { Logger } from '../../logging/logger.ts';
import type { Option, OptionValues } from '../../options/option.ts';
import type { ReadOptions } from '../../options/parse-options.ts';
import { readProgramConfig } from './program-config.ts';
import { runProgram, type Work, type WorkContext } from './run-program.ts';

/** A program that works on an API server in another process. */
export interface Program<C> {
  /** As stock programs of its kind are named, in events. */
  readonly component: string;
  /** Group of its configuration at `/configz`. */
  readonly configGroup: string;
  readonly options: readonly Option[];
  /** Throws `OptionsError`. */
  readonly readWork: (options: OptionValues) => C;
  readonly begin: (config: C, context: WorkContext) => Work;
}

/** Runs a program until `stopped` aborts or it leads no more: its exit status. Throws `OptionsError` before. */
export function startProgram<C>(program: Program<C>, read: ReadOptions, stopped: AbortSignal): Promise<number> {
  const { component, configGroup, options, readWork, begin } = program;
  const { program: config, work } = readProgramConfig(options, read, readWork);
  const logger = Logger.open({ verbosity: config.verbosity });
  return runProgram({ config, component, configGroup, logger, stopped, begin: (context) => begin(work, context) });
}
