import { eachContainer } from '../../../api/core/pod-spec/each-container.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { Container, PodSpec } from '../../../generated/types/core-v1.ts';

/** Why a pod is refused: the kind of violation, and its containers. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Undefined when a pod satisfies the rule. `minor` is the release of the policy, 1.x. */
export type Check = (metadata: ObjectMeta, spec: PodSpec, minor: number) => Violation | undefined;

/**
 * Names of the containers for which a predicate is true, in the order in which clients know them: init containers
 * first, debug containers last.
 */
export function containersWhere(spec: PodSpec, isTrue: (container: Container) => boolean): string[] {
  const names: string[] = [];
  for (const [container] of eachContainer(spec, field('spec'))) if (isTrue(container)) names.push(container.name);
  return names;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

export function quoted(names: readonly string[]): string {
  return names.map(goQuote).join(', ');
}

/** `container "a"`, `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${quoted(names)}`;
}

/** `pod and container "a"`: those of the two that violate a rule; empty when none does. */
export function settersText(isPod: boolean, containers: readonly string[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

export function sorted(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** Pods of Windows lack the fields of some rules; policies know it since 1.25. */
export function isExemptWindows(spec: PodSpec, minor: number): boolean {
  return minor >= 25 && spec.os?.name === 'windows';
}
