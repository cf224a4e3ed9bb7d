import type { ApiGroup } from '../api-group.ts';
import { apiService } from './api-service/api-service.ts';

export const apiregistrationGroup: ApiGroup = {
  name: 'apiregistration.k8s.io',
  priority: 20000,
  resources: [apiService],
};
