import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';
import { DEFAULT_SERVICE_CIDR } from '../../registry/allocators/service-cidr-ranges.ts';
import { changeOwn, createOwnIfAbsent } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { readyCondition, setReady } from './ready-condition.ts';

/**
 * The ServiceCIDR of `--service-cluster-ip-range`: made where it is lacking, and otherwise left as it is but for a
 * second family.
 */
export class DefaultServiceCidr {
  private readonly store: ResourceStore;
  private readonly cidrs: readonly string[];
  private readonly onWarning: (text: string) => void;
  private lastWarning = '';

  /** `cidrs`: as configured, in canonical form. */
  constructor(store: ResourceStore, cidrs: readonly string[], onWarning: (text: string) => void) {
    this.store = store;
    this.cidrs = cidrs;
    this.onWarning = onWarning;
  }

  /** Afterwards it exists. Rejects when the store does. */
  async ensure(): Promise<void> {
    const { store, cidrs } = this;
    const current = await this.current();
    if (current === undefined)
      await createOwnIfAbsent(store, { metadata: { name: DEFAULT_SERVICE_CIDR }, spec: { cidrs } });
    else if (this.gainsFamily(current))
      await changeOwn<ServiceCIDR>(
        store,
        '',
        DEFAULT_SERVICE_CIDR,
        (found) => void (this.gainsFamily(found) && (found.spec.cidrs = [...cidrs])),
      );
    const made = await this.current();
    if (made !== undefined) await this.ensureReady(made);
  }

  private async ensureReady(cidr: ServiceCIDR): Promise<void> {
    const condition = readyCondition(cidr);
    // Its end is the business of the protection.
    if (cidr.metadata.deletionTimestamp !== undefined) return;
    if (!deepEqual(cidr.spec.cidrs, this.cidrs)) {
      this.warn(
        `the default ServiceCIDR ${(cidr.spec.cidrs ?? []).join(',')} does not match --service-cluster-ip-range=${this.cidrs.join(',')}: change the option, or delete the object`,
      );
    } else if (condition?.status === 'False') {
      this.warn(`the default ServiceCIDR is not ready: ${condition.message}`);
    } else if (condition?.status !== 'True') {
      await setReady(this.store, DEFAULT_SERVICE_CIDR, {
        status: 'True',
        reason: '',
        message: 'Kubernetes default Service CIDR is ready',
      });
    }
  }

  private gainsFamily({ spec }: ServiceCIDR): boolean {
    return spec.cidrs?.length === 1 && this.cidrs.length === 2 && spec.cidrs[0] === this.cidrs[0];
  }

  private async current(): Promise<ServiceCIDR | undefined> {
    return (await this.store.newest(this.store.keyOf('', DEFAULT_SERVICE_CIDR)))?.object() as ServiceCIDR | undefined;
  }

  private warn(text: string): void {
    if (text !== this.lastWarning) this.onWarning(text);
    this.lastWarning = text;
  }
}
