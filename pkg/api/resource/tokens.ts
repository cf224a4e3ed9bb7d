import { tokenOf } from '../resource-definition.ts';
import { deviceClass } from './device-class/device-class.ts';
import { resourceClaimTemplate } from './resource-claim-template/resource-claim-template.ts';
import { resourceClaim } from './resource-claim/resource-claim.ts';
import { resourceSlice } from './resource-slice/resource-slice.ts';

export const deviceClasses = tokenOf(deviceClass);
export const resourceClaimTemplates = tokenOf(resourceClaimTemplate);
export const resourceClaims = tokenOf(resourceClaim);
export const resourceSlices = tokenOf(resourceSlice);
