/** One kubectl binary, pointed at one server and namespace. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { runProgram, toolPath, type Finished } from '../../fixtures/run-program.ts';

export const kubectlVersions = ['1.24', '1.32', '1.35'] as const;
export type KubectlVersion = (typeof kubectlVersions)[number];

export interface KubectlSettings {
  readonly version: KubectlVersion;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Home directory, where kubectl caches discovery and leaves what it could not send. */
  readonly home: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Processes at the same time: as many as the smallest machine that runs these tests has cores. */
const PROCESSES_MAX = 2;
const waiting: (() => void)[] = [];
let processes = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (processes >= PROCESSES_MAX) await new Promise<void>((turn) => waiting.push(turn));
  else processes++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) processes--;
    else next();
  }
}

/** Splits the literal parts at white space; an interpolated value stays one piece: of an argument, or a whole one. */
function words(parts: TemplateStringsArray, values: readonly unknown[]): string[] {
  const found: string[] = [];
  let word: string | undefined;
  for (const [i, part] of parts.entries()) {
    for (const piece of part.split(/(\s+)/)) {
      if (piece === '') continue;
      if (/^\s/.test(piece)) {
        if (word !== undefined) found.push(word);
        word = undefined;
      } else word = (word ?? '') + piece;
    }
    if (i < values.length) word = (word ?? '') + String(values[i]);
  }
  if (word !== undefined) found.push(word);
  return found;
}

export class Kubectl {
  readonly settings: KubectlSettings;
  /** 24 for 1.24. */
  readonly minor: number;

  constructor(settings: KubectlSettings) {
    this.settings = settings;
    this.minor = Number(settings.version.split('.')[1]);
  }

  get namespace(): string {
    return this.settings.namespace;
  }

  /** The same with this on standard input; an object is sent as JSON. */
  input(text: string | object): Kubectl {
    return new Kubectl({ ...this.settings, stdin: typeof text === 'string' ? text : JSON.stringify(text) });
  }

  env(env: Readonly<Record<string, string>>): Kubectl {
    return new Kubectl({ ...this.settings, env: { ...this.settings.env, ...env } });
  }

  inNamespace(namespace: string): Kubectl {
    return new Kubectl({ ...this.settings, namespace });
  }

  /** Standard output of a command that has to succeed. */
  ok(parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<string> {
    return this.succeed(words(parts, values));
  }

  private async succeed(args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.exec(args);
    assert.equal(status, 0, `kubectl ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Standard error of a command that has to fail. */
  async fails(parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<string> {
    const args = words(parts, values);
    const { status, stdout, stderr } = await this.exec(args);
    assert.notEqual(status, 0, `kubectl ${args.join(' ')} succeeded\n${stdout}${stderr}`);
    return stderr;
  }

  /** Whatever comes of a command. */
  run(parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<Finished> {
    return this.exec(words(parts, values));
  }

  /** What a command that has to succeed prints with `-o json`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of every kind
  async json(parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<any> {
    return JSON.parse(await this.succeed([...words(parts, values), '--output=json']));
  }

  /** A command that runs until it is stopped. */
  start(parts: TemplateStringsArray, ...values: readonly unknown[]): RunningKubectl {
    return new RunningKubectl(
      toolPath(`kubectl-${this.settings.version}`),
      [...words(parts, values), ...this.global()],
      { ...process.env, ...this.environment() },
    );
  }

  private exec(args: readonly string[]): Promise<Finished> {
    const { version, stdin } = this.settings;
    // Flags go before a `--` that ends them.
    const end = args.indexOf('--');
    const all = end < 0 ? [...args, ...this.global()] : [...args.slice(0, end), ...this.global(), ...args.slice(end)];
    const options = { env: this.environment(), timeoutMs: 60_000, ...(stdin === undefined ? {} : { stdin }) };
    return inTurn(() => runProgram(toolPath(`kubectl-${version}`), all, options));
  }

  private global(): string[] {
    return [`--namespace=${this.settings.namespace}`];
  }

  private environment(): Record<string, string> {
    return {
      KUBECONFIG: this.settings.kubeconfig,
      HOME: this.settings.home,
      TMPDIR: this.settings.home,
      ...this.settings.env,
    };
  }
}

/** A kubectl in the background, with the lines of its standard output so far. */
export class RunningKubectl {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(path: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout!.on('data', (chunk: Buffer) => this.changed(() => (this.stdout += chunk.toString())));
    this.child.stderr!.on('data', (chunk: Buffer) => this.changed(() => (this.stderr += chunk.toString())));
    this.child.once('close', () => this.changed(() => (this.ended = true)));
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  /** Waits until standard output has what is looked for. */
  async until(done: (output: string) => boolean, timeoutMs = 15_000): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    while (!done(this.stdout)) {
      assert.ok(!this.ended && Date.now() < deadline, `waited in vain; printed so far:\n${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.stdout;
  }

  /** Exit status, after its end. */
  async end(timeoutMs = 15_000): Promise<number | null> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    if (!this.ended) await new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    clearTimeout(timer);
    return this.child.exitCode;
  }

  /** Ends the process if it still runs; resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.ended) return;
    const closed = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    this.child.kill('SIGTERM');
    await closed;
  }

  private changed(change: () => void): void {
    change();
    this.wake?.();
  }
}
