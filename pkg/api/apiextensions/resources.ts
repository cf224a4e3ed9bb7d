import type { ApiGroup } from '../api-group.ts';
import { customResourceDefinition } from './custom-resource-definition/custom-resource-definition.ts';

export const apiextensionsGroup: ApiGroup = {
  name: 'apiextensions.k8s.io',
  priority: 16700,
  resources: [customResourceDefinition],
};
