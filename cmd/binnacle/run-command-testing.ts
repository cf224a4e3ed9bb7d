import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** For tests: the command from source, as a process of its own. */

const root = path.resolve(import.meta.dirname, '../..');
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CommandOptions {
  stdin?: Uint8Array | string;
  cwd?: string;
  /** Reads nothing of what the command writes to standard output. */
  closeStdout?: boolean;
  /** Sends SIGINT once standard error has this text. */
  interruptAt?: string;
}

/** Runs `binnacle` with arguments in `cwd`, to its end. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', loader, path.join(root, 'cmd/binnacle/main.ts'), ...args], {
      cwd: options.cwd ?? root,
      timeout: 15_000,
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
    let { interruptAt } = options;
    child.stderr.on('data', (bytes: Buffer) => {
      stderr.push(bytes);
      if (interruptAt === undefined || !Buffer.concat(stderr).includes(interruptAt)) return;
      interruptAt = undefined;
      child.kill('SIGINT');
    });
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({ status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
    if (options.closeStdout === true) child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}
