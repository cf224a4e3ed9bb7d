import { labelsOf } from './labels-of.ts';
import { ConfigurationSection } from '../configuration-section.ts';

export type Labels = ReadonlyMap<string, string>;

/** The operator's selectors for nodes and namespaces. */
export interface NodeSelectors {
  /** For namespaces without an annotation. */
  readonly byDefault: Labels;
  /** The labels that pods of a namespace may select by. */
  readonly allowed: ReadonlyMap<string, Labels>;
}

const DEFAULT = 'clusterDefaultNodeSelector';

/**
 * Reads `podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b", namespace: "a=b,c=d"}`; throws Error where it
 * is not of this form.
 */
export function nodeSelectors(configuration: unknown): NodeSelectors {
  const section = new ConfigurationSection(configuration).section('podNodeSelectorPluginConfig');
  const selectorOf = (name: string): Labels => {
    try {
      return labelsOf(section.text(name) ?? '');
    } catch (error) {
      throw new Error(`${section.at(name)}: ${(error as Error).message}`, { cause: error });
    }
  };
  const namespaces = section.names().filter((name) => name !== DEFAULT);
  return { byDefault: selectorOf(DEFAULT), allowed: new Map(namespaces.map((name) => [name, selectorOf(name)])) };
}
