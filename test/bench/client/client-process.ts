import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { Measurement } from '../figures.ts';
import type { JobReply } from './client-main.ts';
import type { Job } from './job.ts';

/** Beyond what a job is asked to run: opening thousands of TLS connections and catching up take a while. */
const jobGraceMs = 180_000;

/** The client, in a process of its own, so that its CPU is never counted as the server's. Jobs run one at a time. */
export class ClientProcess {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(path.join(import.meta.dirname, 'client-main.ts'), [], { execArgv: ['--import', 'tsx'] });
  }

  /** Rejects when the job fails, the process ends, or the job takes far longer than asked. */
  async run(job: Job): Promise<Measurement> {
    const { child } = this;
    const bound = 'seconds' in job ? (job.seconds.warmUp + job.seconds.measured) * 1000 : 0;
    let settle: (() => void) | undefined;
    try {
      return await new Promise<Measurement>((resolve, reject) => {
        const onMessage = (reply: JobReply): void =>
          'error' in reply ? reject(new Error(reply.error)) : resolve(reply.measured);
        const onExit = (): void => reject(new Error('the client process ended'));
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          reject(new Error(`the client did not finish: ${job.kind}`));
        }, bound + jobGraceMs);
        settle = () => {
          clearTimeout(timer);
          child.off('message', onMessage).off('exit', onExit);
        };
        child.on('message', onMessage).on('exit', onExit);
        if (!child.connected) return onExit();
        child.send(job);
      });
    } finally {
      settle?.();
    }
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}
