import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import { countByLabels, type ControllerMetrics, type Counter } from '../controller-metrics.ts';
import { POD_CLAIM_NAME } from './claim-names.ts';

const EXTENDED_RESOURCE = 'resource.kubernetes.io/extended-resource-claim';

/** Shows how many claims there are; gives the counter of those that are created. */
export function claimMetrics(
  metrics: ControllerMetrics,
  claims: () => readonly ResourceClaim[],
): Counter<'status' | 'admin_access'> {
  const all = {
    name: 'resourceclaim_controller_resource_claims',
    help: 'Claims, by whether they are allocated, have administrative access, and where they come from.',
    labels: ['allocated', 'admin_access', 'source'] as const,
  };
  metrics.readGauge(all, () =>
    countByLabels(claims(), (claim) => ({
      allocated: String(claim.status?.allocation !== undefined),
      admin_access: String(usesAdminAccess(claim)),
      source: sourceOf(claim),
    })),
  );
  return metrics.counter({
    name: 'resourceclaim_controller_creates_total',
    help: 'Claims that were to be created for pods.',
    labels: ['status', 'admin_access'],
  });
}

export function usesAdminAccess({ spec }: ResourceClaim): boolean {
  return spec.devices.requests?.some(({ exactly }) => exactly?.adminAccess === true) === true;
}

function sourceOf({ metadata }: ResourceClaim): string {
  if (metadata.annotations?.[POD_CLAIM_NAME] !== undefined) return 'resource_claim_template';
  return metadata.annotations?.[EXTENDED_RESOURCE] === 'true' ? 'extended_resource' : '';
}
