import { deepEqual } from '../../apimachinery/deep.ts';
import { badRequest } from '../../apimachinery/status-error.ts';
import type { Eviction } from '../../generated/types/policy-v1.ts';

/** The body of `POST pods/<name>/eviction`, in policy/v1 and policy/v1beta1 alike. */

/** Checks the body against the path. Throws 400. */
export function validateEviction(eviction: Eviction, podName: string): void {
  if (eviction.metadata.name !== podName) throw badRequest('name in URL does not match name in Eviction object');
}

/** The dry run that body and query ask for together, empty for none. Throws 400 where they contradict each other. */
export function evictionDryRun(eviction: Eviction, queryDryRun: readonly string[]): readonly string[] {
  const inBody = eviction.deleteOptions?.dryRun ?? [];
  if (inBody.length === 0) return queryDryRun;
  if (queryDryRun.length === 0 || deepEqual(queryDryRun, inBody)) return inBody;
  throw badRequest(`Non-matching dry-run options in request and content: [${queryDryRun.join(' ')}] and [${inBody.join(' ')}]`);
}
