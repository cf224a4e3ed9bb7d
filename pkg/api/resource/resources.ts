import type { ApiGroup } from '../api-group.ts';
import { deviceClass } from './device-class/device-class.ts';
import { resourceClaim } from './resource-claim/resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template/resource-claim-template.ts';
import { resourceSlice } from './resource-slice/resource-slice.ts';

export const resourceGroup: ApiGroup = {
  name: 'resource.k8s.io',
  priority: 16200,
  versionPriorities: { v1: 21 },
  resources: [deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice],
};
