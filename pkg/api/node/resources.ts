import type { ApiGroup } from '../api-group.ts';
import { runtimeClass } from './runtime-class/runtime-class.ts';

export const nodeGroup: ApiGroup = {
  name: 'node.k8s.io',
  priority: 16300,
  resources: [runtimeClass],
};
