import { tokenOf } from '../resource-definition.ts';
import { apiService } from './api-service/api-service.ts';

export const apiServices = tokenOf(apiService);
