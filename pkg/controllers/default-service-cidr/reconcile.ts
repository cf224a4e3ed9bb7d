import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';
import { readyCondition, withReady } from '../service-cidr/ready-condition.ts';
import type { SingleObject } from '../single-object.ts';
import { ensureCidr } from './ensure-cidr.ts';

export interface DefaultCidrSteps {
  readonly object: SingleObject<ServiceCIDR>;
  readonly updateStatus: (cidr: ServiceCIDR) => Promise<unknown>;
  /** As configured, in canonical form. */
  readonly cidrs: readonly string[];
  readonly warn: (text: string) => void;
  readonly nowMs: number;
}

/** The object exists, then is ready, or the reason why not is reported. Each write brings the key again. */
export async function reconcile({ object, updateStatus, cidrs, warn, nowMs }: DefaultCidrSteps): Promise<void> {
  const current = await ensureCidr(object, cidrs);
  // The end of one that is being deleted is up to the controller of all ServiceCIDRs.
  if (current === undefined || current.metadata.deletionTimestamp !== undefined) return;
  const condition = readyCondition(current);
  if (!deepEqual(current.spec.cidrs, cidrs)) {
    warn(
      `the default ServiceCIDR ${(current.spec.cidrs ?? []).join(',')} does not match --service-cluster-ip-range=${cidrs.join(',')}: change the option, or delete the object`,
    );
  } else if (condition?.status === 'False') {
    warn(`the default ServiceCIDR is not ready: ${condition.message}`);
  } else if (condition?.status !== 'True') {
    const ready = { status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' };
    await updateStatus(withReady(current, ready, nowMs));
  }
}
