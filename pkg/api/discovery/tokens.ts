import { tokenOf } from '../resource-definition.ts';
import { endpointSlice } from './endpoint-slice/endpoint-slice.ts';

export const endpointSlices = tokenOf(endpointSlice);
