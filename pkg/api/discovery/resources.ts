import type { ApiGroup } from '../api-group.ts';
import { endpointSlice } from './endpoint-slice/endpoint-slice.ts';

export const discoveryGroup: ApiGroup = {
  name: 'discovery.k8s.io',
  priority: 16200,
  versionPriorities: { v1beta1: 12 },
  resources: [endpointSlice],
};
