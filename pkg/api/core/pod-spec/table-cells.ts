import type { PodSpec } from '../../../generated/types/core-v1.ts';

/** Names of a spec's containers, as wide tables print them. */
export function containerNames(spec: PodSpec | undefined): string {
  return (spec?.containers ?? []).map((c) => c.name).join(',');
}

/** Images of a spec's containers, as wide tables print them. */
export function containerImages(spec: PodSpec | undefined): string {
  return (spec?.containers ?? []).map((c) => c.image ?? '').join(',');
}
