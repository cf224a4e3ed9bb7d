import type { Writable } from 'node:stream';
import { sleep, type Clock } from '../../apimachinery/clock.ts';
import { commandPlan, type ContainerPlan } from '../container-plan.ts';

/** Ends of the streams of one command on the agent's side; absent where the client asked for none. */
export interface CommandStreams {
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Takes a Status when the command has ended. */
  readonly error: Writable;
}

/** A command that sleeps for longer is over by then. */
const RUN_MS_MAX = 600_000;

/**
 * Does as if a command ran: what is made of `echo`, `sleep`, `exit`, `true` and `false` has their output and their end,
 * all others say that they would run, but for `tar`, by which kubectl copies files: there are none. Lines that a
 * container wrote are just shown.
 */
export async function runCommand(
  command: readonly string[] | readonly { readonly line: string }[],
  { stdout, stderr, error }: CommandStreams,
  clock: Clock,
): Promise<void> {
  const { output, runMs, exitCode, problem } = planFor(command);
  let atMs = 0;
  for (const { atMs: next, line } of output) {
    if (next > atMs) await sleep(clock, Math.min(next - atMs, RUN_MS_MAX));
    atMs = next;
    stdout?.write(`${line}\n`);
  }
  if (problem !== undefined) stderr?.write(`${problem}\n`);
  if (runMs > atMs) await sleep(clock, Math.min(runMs - atMs, RUN_MS_MAX));
  await Promise.all([ended(stdout), ended(stderr)]);
  await ended(error, JSON.stringify(statusOf(exitCode)));
}

interface CommandPlan extends ContainerPlan {
  /** What it writes to standard error. */
  readonly problem?: string;
}

function planFor(command: readonly string[] | readonly { readonly line: string }[]): CommandPlan {
  const words = command.filter((word) => typeof word === 'string');
  if (words.length < command.length) {
    const lines = command.filter((word) => typeof word !== 'string');
    return { output: lines.map(({ line }) => ({ atMs: 0, line })), runMs: 0, exitCode: 0 };
  }
  const known = commandPlan(words);
  if (known !== undefined) return known;
  if (/(^|\/)tar$/.test(words[0]!))
    return {
      output: [],
      runMs: 0,
      exitCode: 127,
      problem: 'simulated: tar: not found, a simulated container has no files',
    };
  return { output: [{ atMs: 0, line: `simulated: ${words.join(' ')}` }], runMs: 0, exitCode: 0 };
}

function ended(stream: Writable | undefined, last?: string): Promise<void> | undefined {
  return stream === undefined
    ? undefined
    : new Promise((resolve) => {
        // A client that is gone has no use for the end.
        stream.once('close', () => resolve());
        stream.end(last, () => resolve());
      });
}

function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}
