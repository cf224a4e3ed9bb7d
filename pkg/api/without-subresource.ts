import type { AnyResource } from './resource-definition.ts';

/** The kinds without one subresource of one of them: it is then neither served nor listed. */
export function withoutSubresource(
  resources: readonly AnyResource[],
  group: string,
  resource: string,
  subresource: string,
): readonly AnyResource[] {
  return resources.map((d) =>
    d.group === group && d.resource === resource
      ? { ...d, subresources: d.subresources?.filter(({ name }) => name !== subresource) }
      : d,
  );
}
