import { spawn, type ChildProcess } from 'node:child_process';

const stopGraceMs = 15_000;
const running = new Set<ChildProcess>();
// Whatever ends the benchmark, its servers end with it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Ends all that still run; resolves when they are gone. */
export async function killListeningProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(
      (child) =>
        new Promise((resolve) => {
          child.once('close', resolve);
          child.kill('SIGKILL');
        }),
    ),
  );
}

/** A server's process that says on standard output when it is ready. */
export class ListeningProcess {
  readonly pid: number;
  /** What the pattern's first group matched. */
  readonly address: string;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, address: string) {
    this.child = child;
    this.pid = child.pid!;
    this.address = address;
  }

  /**
   * Runs node with the arguments; resolves when a line matches. Rejects with the output when the process ends first or
   * takes too long.
   */
  static start(args: readonly string[], ready: RegExp, timeoutMs = 60_000): Promise<ListeningProcess> {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    child.once('close', () => running.delete(child));
    return new Promise((resolve, reject) => {
      let output = '';
      const fail = (why: string): void => {
        child.kill('SIGKILL');
        reject(new Error(`${why}:\n${output}`));
      };
      const timer = setTimeout(() => fail('the server was not ready in time'), timeoutMs);
      let isReady = false;
      const onOutput = (chunk: Buffer): void => {
        // What a ready server writes is read only to keep its pipes from filling up.
        if (isReady) return;
        output += chunk.toString();
        const match = ready.exec(output);
        if (match === null) return;
        isReady = true;
        clearTimeout(timer);
        resolve(new ListeningProcess(child, match[1]!));
      };
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
      child.once('error', (error) => fail(error.message));
      child.once('exit', () => {
        clearTimeout(timer);
        fail('the server ended');
      });
    });
  }

  /** Asks it to end, then makes it. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
    await ended;
    clearTimeout(timer);
  }
}
