import { setImmediate } from 'node:timers/promises';
import { type OpenApiBuild, openApiSteps } from './build.ts';
import { loadDescriptions } from './descriptions.ts';

/** How long one turn of the event loop may last. */
const turnMsMax = 3;

/** Builds a document on the calling thread, giving way to others every few milliseconds. */
export async function buildInTurns(build: OpenApiBuild): Promise<Uint8Array> {
  const steps = openApiSteps(build, await loadDescriptions());
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - started > turnMsMax) {
      await setImmediate();
      started = performance.now();
    }
  }
}
