import type { Toleration } from '../../generated/types/core-v1.ts';
import { ConfigurationSection } from '../configuration-section.ts';

/** The settings for namespaces without annotations. */
export interface ClusterTolerations {
  readonly byDefault: readonly Toleration[];
  readonly allowed: readonly Toleration[];
}

const KINDS = ['podtolerationrestriction.admission.k8s.io/v1alpha1, Configuration'];

/** Reads `{default: [...], whitelist: [...]}`; throws Error where it is not of this form. */
export function clusterTolerations(configuration: unknown): ClusterTolerations {
  if (configuration === undefined) return { byDefault: [], allowed: [] };
  const section = ConfigurationSection.ofKind(configuration, KINDS);
  return { byDefault: tolerations(section, 'default'), allowed: tolerations(section, 'whitelist') };
}

function tolerations(section: ConfigurationSection, name: string): Toleration[] {
  return section.sections(name).map((item) => {
    const seconds = item.raw('tolerationSeconds');
    if (seconds !== undefined && typeof seconds !== 'number')
      throw new Error(`${item.at('tolerationSeconds')} must be a number`);
    const toleration: Toleration = seconds === undefined ? {} : { tolerationSeconds: seconds };
    for (const field of ['key', 'operator', 'value', 'effect'] as const) {
      const text = item.text(field);
      if (text !== undefined) toleration[field] = text;
    }
    return toleration;
  });
}
