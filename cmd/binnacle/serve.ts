import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '../../pkg/controlplane/config/server-config.ts';
import type { ControlPlane } from '../../pkg/controlplane/start-control-plane.ts';
import { helpText } from '../../pkg/options/help-text.ts';
import type { Component, Option, OptionValues } from '../../pkg/options/option.ts';
import { OptionsError } from '../../pkg/options/options-error.ts';
import { readOptions, type ReadOptions } from '../../pkg/options/parse-options.ts';
import type { EphemeralDirectory } from '../../pkg/controlplane/ephemeral-directory.ts';
import { boundHeap } from './bound-heap.ts';
import { endProcess } from './end-process.ts';
import { parentGone } from './parent.ts';
import { version } from './version.ts';

export interface ServeCommand {
  readonly component: Component;
  readonly options: readonly Option[];
  readonly usage: string;
  dirOf(options: OptionValues): string;
  /** What a person reads once the server is ready. */
  greeting(running: ControlPlane, options: OptionValues): string;
}

/**
 * How long a start may continue after the signal to stop: it may be waiting for a store that does not answer.
 * Acknowledged writes are durable.
 */
const startGraceMs = 1_000;

/**
 * After a clean stop: work that still keeps the process alive, such as a call to a webhook or a write that does not
 * end, is abandoned.
 */
const leftoversGraceMs = 500;

/**
 * Parses options, runs the server until SIGINT or SIGTERM, stops it cleanly. Exit status 2: the options are wrong; 1:
 * it could not start.
 */
export async function serve(command: ServeCommand, args: readonly string[]): Promise<number> {
  const parentId = process.ppid;
  const given = readOptions(command.options, command.component, args);
  if (given.values.bool('help')) {
    process.stdout.write(helpText(command.options, command.component, command.usage));
    return 0;
  }
  if (given.values.bool('version')) return version();
  if (!given.values.bool('ephemeral') || given.problems.length > 0) return serveUntilStopped(command, given);
  const directory = await temporaryDirectory();
  try {
    return await serveUntilStopped(command, inDirectory(given, directory.path), parentId);
  } finally {
    directory.remove();
  }
}

/** `parentId`: of the process with which an ephemeral cluster ends. */
async function serveUntilStopped(command: ServeCommand, read: ReadOptions, parentId?: number): Promise<number> {
  const options = read.values;
  // Loaded only now: help comes at once.
  const { readConfig } = await import('../../pkg/controlplane/config/read-config.ts');
  let config: ServerConfig;
  try {
    const dataDir = path.resolve(options.string('data-dir'));
    config = readConfig(read, { dir: command.dirOf(options), dataDir, ephemeral: parentId !== undefined });
  } catch (error) {
    if (error instanceof OptionsError) return refuse(command, error.problems);
    throw error;
  }
  let running: ControlPlane | undefined;
  const stopped =
    parentId === undefined
      ? untilStopped()
      : Promise.race([untilStopped('SIGHUP'), parentGone(parentId, () => running === undefined)]);
  const [{ startControlPlane }, { Logger }] = await Promise.all([
    import('../../pkg/controlplane/start-control-plane.ts'),
    import('../../pkg/logging/logger.ts'),
  ]);
  void stopped.then(() =>
    setTimeout(() => {
      if (running !== undefined) return;
      process.stderr.write(`binnacle ${command.component}: stopped before it was ready\n`);
      process.exit(1);
    }, startGraceMs).unref(),
  );
  try {
    running = await startControlPlane(config, {
      workerFile: workerFile(),
      logger: Logger.open({ verbosity: config.verbosity }),
    });
  } catch (error) {
    if (error instanceof OptionsError) return refuse(command, error.problems);
    process.stderr.write(`binnacle ${command.component}: ${(error as Error).message}\n`);
    return 1;
  }
  boundHeap('server');
  process.stdout.write(command.greeting(running, options));
  await stopped;
  await running.stop();
  setTimeout(endProcess, leftoversGraceMs).unref();
  return 0;
}

/** With what earlier processes left removed, which the start does not wait for. */
async function temporaryDirectory(): Promise<EphemeralDirectory> {
  const { makeEphemeralDirectory, removeAbandonedDirectories } =
    await import('../../pkg/controlplane/ephemeral-directory.ts');
  void removeAbandonedDirectories();
  return makeEphemeralDirectory();
}

/** The options of a cluster in a temporary directory. */
function inDirectory({ values, problems }: ReadOptions, dir: string): ReadOptions {
  const port = values.isGiven('secure-port') ? values.string('secure-port') : '0';
  return { values: values.with({ 'data-dir': dir, 'secure-port': port }), problems };
}

function refuse(command: ServeCommand, problems: readonly string[]): number {
  for (const problem of problems) process.stderr.write(`binnacle ${command.component}: ${problem}\n`);
  return 2;
}

/** The bundle's worker stands beside the bundle; from source it is the module itself. */
function workerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../../pkg/workers/worker.ts' : './worker.js', here));
}

function untilStopped(...more: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', ...more] as const) process.once(signal, () => resolve());
  });
}
