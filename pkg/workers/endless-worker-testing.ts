import { markStarted } from './run-time-limit.ts';
import type { WorkerReply, WorkerRequest } from './worker.ts';

/** For tests: a worker whose patches never end, or take the milliseconds that their document names. */
export function run(request: WorkerRequest): WorkerReply {
  if (request.kind === 'patch') {
    markStarted(request.started);
    const { document } = request.task;
    const end = performance.now() + (document === 'endless' ? Infinity : typeof document === 'number' ? document : 0);
    while (performance.now() < end);
  }
  return { kind: 'value', value: 'done' };
}

// Pools load the module's default export.
// oxlint-disable-next-line import/no-default-export
export default run;
