import type { AnyResource } from '../resource-definition.ts';
import { apiService } from './api-service/api-service.ts';

export const apiregistrationResources: AnyResource[] = [apiService];
