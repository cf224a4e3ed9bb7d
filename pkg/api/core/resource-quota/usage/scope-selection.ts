import type { ScopedResourceSelectorRequirement } from '../../../../generated/types/core-v1.ts';

/**
 * Whether an object that names `name`, such as a priority class, is in a scope that selects by names; empty where it
 * names none.
 */
export function isSelected(name: string, { operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    default:
      return false;
  }
}
