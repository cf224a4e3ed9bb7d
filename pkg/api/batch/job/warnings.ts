import { isDns1123Label } from '../../../apimachinery/names/names.ts';
import type { Job } from '../../../generated/types/batch-v1.ts';
import { templateWarnings } from '../../apps/template-warnings.ts';

/** From these counts on a controller may lose track of which indexes failed. */
const COMPLETIONS_TRACKED = 100_000;
const PARALLELISM_TRACKED = 10_000;

export function jobWarnings(object: Job, old: Job | undefined): string[] {
  const warnings: string[] = [];
  const problems = old === undefined ? isDns1123Label(object.metadata.name ?? '') : [];
  if (problems.length > 0) {
    warnings.push(
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
    );
  }
  const { completionMode, completions = 0, parallelism = 0 } = object.spec;
  const isNew = old === undefined || old.metadata.generation !== object.metadata.generation;
  if (isNew && completionMode === 'Indexed' && completions > COMPLETIONS_TRACKED && parallelism > PARALLELISM_TRACKED) {
    warnings.push(
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ' +
        'Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    );
  }
  return [...warnings, ...templateWarnings(object, old)];
}
