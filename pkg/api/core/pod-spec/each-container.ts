import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Container, PodSpec } from '../../../generated/types/core-v1.ts';

/** All containers of a spec with their paths: init containers, containers, ephemeral containers. */
export function* eachContainer(spec: PodSpec, path: FieldPath): Generator<[Container, FieldPath]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const at = path.child(list);
    for (const [i, container] of ((spec[list] ?? []) as Container[]).entries()) yield [container, at.index(i)];
  }
}
