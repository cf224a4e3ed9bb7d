import type { AnyResource } from '../resource-definition.ts';
import { endpointSlice } from './endpoint-slice/endpoint-slice.ts';

export const discoveryResources: AnyResource[] = [endpointSlice];
