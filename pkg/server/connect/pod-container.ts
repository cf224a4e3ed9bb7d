import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

/**
 * The container of a pod that a request names. Throws 400 where it does not exist, or none is named although there are
 * several.
 */
export function chosenContainer({ metadata, spec }: Pod, asked: string): string {
  const containers = (spec.containers ?? []).map((c) => c.name);
  const all = [
    ...(spec.initContainers ?? []).map((c) => c.name),
    ...containers,
    ...(spec.ephemeralContainers ?? []).map((c) => c.name),
  ];
  const name = metadata.name ?? '';
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  if (containers.length === 1) return containers[0]!;
  const needed = `a container name must be specified for pod ${name}`;
  throw badRequest(containers.length === 0 ? needed : `${needed}, choose one of: [${all.join(' ')}]`);
}
