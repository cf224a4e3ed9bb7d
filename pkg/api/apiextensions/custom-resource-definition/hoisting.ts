import { deepEqual } from '../../../apimachinery/json/deep.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from '../../../generated/types/apiextensions-v1.ts';

/** Fields that versions may share. */
export interface Shared {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: CustomResourceColumnDefinition[];
  readonly selectableFields?: SelectableField[];
}

const SHARED_FIELDS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/**
 * Splits versions into the fields that all of them share and the rest. The beta version writes the former once, beside
 * the versions, and stock servers use those paths in errors for all versions.
 */
export function hoist(versions: readonly CustomResourceDefinitionVersion[]): {
  shared: Shared;
  versions: CustomResourceDefinitionVersion[];
} {
  const shared: Record<string, unknown> = {};
  const first = versions[0];
  for (const name of SHARED_FIELDS) {
    if (first?.[name] !== undefined && versions.every((version) => deepEqual(version[name], first[name])))
      shared[name] = first[name];
  }
  const rest = versions.map((version) => {
    const copy = { ...version };
    for (const name of SHARED_FIELDS) if (name in shared) delete copy[name];
    return copy;
  });
  return { shared: shared as Shared, versions: rest };
}
