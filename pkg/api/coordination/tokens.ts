import { tokenOf } from '../resource-definition.ts';
import { leaseCandidate } from './lease-candidate/lease-candidate.ts';
import { lease } from './lease/lease.ts';

export const leaseCandidates = tokenOf(leaseCandidate);
export const leases = tokenOf(lease);
