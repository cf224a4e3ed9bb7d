import { type PrefixedTransformer, PrefixedTransformers } from './prefixed-transformers.ts';
import type { ValueTransformer } from './value-transformer.ts';

/** Every resource, in the lists of an encryption configuration. */
const EVERYTHING = '*.*';

/** Every resource of the group of `deployments.apps` or `secrets`: `*.apps`, `*.`. */
function groupPattern(resource: string): string {
  const dot = resource.indexOf('.');
  return dot < 0 ? '*.' : `*${resource.slice(dot)}`;
}

/** Whether a name in a list stands for more than one resource. */
export function isPattern(name: string): boolean {
  return name.startsWith('*');
}

/** Names of a list that a pattern of the same list covers; one would hide the other. */
export function coveredNames(names: readonly string[]): string[] {
  const patterns = new Set(names.filter(isPattern));
  return names.filter(
    (name) =>
      name !== EVERYTHING && (patterns.has(EVERYTHING) || (!isPattern(name) && patterns.has(groupPattern(name)))),
  );
}

/**
 * Providers by resource. A resource that is listed by name has those of its name, else those of its group's pattern,
 * else those of the pattern of all. What comes later in the configuration than a pattern that covers it has no effect.
 */
export class ResourceRules {
  private readonly providers = new Map<string, PrefixedTransformer[]>();
  private readonly transformers = new Map<string, ValueTransformer>();

  /** In the order of the configuration; a name that is there twice has the providers of both. */
  add(name: string, providers: readonly PrefixedTransformer[]): void {
    if (name !== EVERYTHING && this.providers.has(EVERYTHING)) return;
    if (!isPattern(name) && this.providers.has(groupPattern(name))) return;
    const all = [...(this.providers.get(name) ?? []), ...providers];
    this.providers.set(name, all);
    this.transformers.set(name, new PrefixedTransformers(all));
  }

  /** Of `deployments.apps` or `secrets`; undefined where its values stay as they are. */
  of(resource: string): ValueTransformer | undefined {
    return (
      this.transformers.get(resource) ??
      this.transformers.get(groupPattern(resource)) ??
      this.transformers.get(EVERYTHING)
    );
  }
}
