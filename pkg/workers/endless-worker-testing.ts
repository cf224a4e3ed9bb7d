import type { WorkerReply, WorkerRequest } from './worker.ts';

/** For tests: a worker whose patches may take for ever. */
export function run(request: WorkerRequest): WorkerReply {
  if (request.kind === 'patch' && request.task.document === 'endless') for (;;);
  return { kind: 'value', value: 'done' };
}

// Pools load the module's default export.
// oxlint-disable-next-line import/no-default-export
export default run;
