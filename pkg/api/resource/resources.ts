import type { AnyResource } from '../resource-definition.ts';
import { deviceClass } from './device-class/device-class.ts';
import { resourceClaim } from './resource-claim/resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template/resource-claim-template.ts';
import { resourceSlice } from './resource-slice/resource-slice.ts';

export const resourceResources: AnyResource[] = [deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice];
