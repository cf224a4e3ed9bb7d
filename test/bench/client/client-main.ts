/** The client's process: does the jobs that its parent sends, one after the other, and ends with its parent. */
import type { Measurement } from '../figures.ts';
import type { Job } from './job.ts';
import { runJob } from './run-job.ts';

export type JobReply = { readonly measured: Measurement } | { readonly error: string };

process.on('disconnect', () => process.exit(0));
process.on('message', (job: Job) => {
  runJob(job).then(
    (measured) => reply({ measured }),
    (error: unknown) =>
      reply({
        error:
          error instanceof Error
            ? error.message + (error.cause instanceof Error ? `: ${error.cause.message}` : '')
            : String(error),
      }),
  );
});

function reply(message: JobReply): void {
  process.send!(message);
}
