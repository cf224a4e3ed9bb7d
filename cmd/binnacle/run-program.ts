import type { Program } from '../../pkg/controlplane/programs/program.ts';
import { helpText } from '../../pkg/options/help-text.ts';
import type { Component, Option } from '../../pkg/options/option.ts';
import { OptionsError } from '../../pkg/options/options-error.ts';
import { readOptions } from '../../pkg/options/parse-options.ts';
import { boundHeap, type HeapUser } from './bound-heap.ts';
import { endProcess } from './end-process.ts';
import { version } from './version.ts';

export interface ProgramCommand<C> {
  readonly component: Component;
  readonly options: readonly Option[];
  readonly usage: string;
  /** What follows the options in the help. */
  readonly more?: string;
  /** Default: `program`. */
  readonly heap?: HeapUser;
  /** Loaded when it runs. */
  readonly load: () => Promise<Program<C>>;
}

/** What still keeps the process alive after its work has ended is abandoned after this long. */
const LEFTOVERS_MS = 500;

/**
 * Parses options and runs a program beside an API server until SIGINT or SIGTERM. Exit status 2: the options are wrong;
 * 1: it could not start, or does not lead any more.
 */
export async function runProgramCommand<C>(command: ProgramCommand<C>, args: readonly string[]): Promise<number> {
  const { component, options, usage, more = '', heap = 'program' } = command;
  const read = readOptions(options, component, args);
  if (read.values.bool('help')) {
    process.stdout.write(`${helpText(options, component, usage)}${more}`);
    return 0;
  }
  if (read.values.bool('version')) return version();
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
  const [program, { startProgram }] = await Promise.all([
    command.load(),
    import('../../pkg/controlplane/programs/program.ts'),
  ]);
  boundHeap(heap);
  const status = await outcome(component, () => startProgram(program, read, stopped.signal));
  process.exitCode = status;
  setTimeout(endProcess, LEFTOVERS_MS).unref();
  return status;
}

async function outcome(component: Component, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const problems = error instanceof OptionsError ? error.problems : [(error as Error).message];
    for (const problem of problems) process.stderr.write(`binnacle ${component}: ${problem}\n`);
    return error instanceof OptionsError ? 2 : 1;
  }
}
