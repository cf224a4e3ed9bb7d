import { badRequest } from '../../apimachinery/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

/** Checks that a request says, as far as it must, which of a pod's containers it means. Throws 400. */
export function checkContainer({ metadata, spec }: Pod, asked: string): void {
  const containers = (spec.containers ?? []).map((c) => c.name);
  const initContainers = (spec.initContainers ?? []).map((c) => c.name);
  const name = metadata.name ?? '';
  if (asked !== '') {
    const known = [...containers, ...initContainers, ...(spec.ephemeralContainers ?? []).map((c) => c.name)];
    if (!known.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return;
  }
  if (containers.length === 1) return;
  const needed = `a container name must be specified for pod ${name}`;
  if (containers.length === 0) throw badRequest(needed);
  const init = initContainers.length === 0 ? '' : ` or one of the init containers: [${initContainers.join(' ')}]`;
  throw badRequest(`${needed}, choose one of: [${containers.join(' ')}]${init}`);
}
