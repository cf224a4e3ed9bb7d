import type { AnyResource } from '../resource-definition.ts';
import { leaseCandidate } from './lease-candidate/lease-candidate.ts';
import { lease } from './lease/lease.ts';

export const coordinationResources: AnyResource[] = [lease, leaseCandidate];
