import type { ApiGroup } from '../api-group.ts';
import { leaseCandidate } from './lease-candidate/lease-candidate.ts';
import { lease } from './lease/lease.ts';

export const coordinationGroup: ApiGroup = {
  name: 'coordination.k8s.io',
  priority: 16500,
  resources: [lease, leaseCandidate],
};
