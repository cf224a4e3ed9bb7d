import { CidrRange } from '../../apimachinery/names/cidr-range.ts';
import { parseCidr, parseIp } from '../../apimachinery/names/ip.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';

/**
 * Whether an address would be without a ServiceCIDR if this one went: it lies in this one and in no other. Others that
 * are being deleted too are no help: all of them could go at once. `isService` says of an address, by its name, whether
 * it is a service's. Looks at any number of addresses in slices of time.
 */
export async function wouldOrphan(
  cidr: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: Iterable<string>,
  isService: (address: string) => boolean,
): Promise<boolean> {
  const others = all
    .filter(({ metadata }) => metadata.name !== cidr.metadata.name && metadata.deletionTimestamp === undefined)
    .flatMap(rangesOf);
  const exposed = rangesOf(cidr).filter((range) => !others.some((other) => other.contains(range)));
  if (exposed.length === 0) return false;
  const slice = new TimeSlice();
  for (const name of addresses) {
    if (slice.over) await slice.next();
    const address = parseIp(name);
    if (address === undefined || !exposed.some((range) => range.has(address))) continue;
    if (!others.some((range) => range.has(address)) && isService(name)) return true;
  }
  return false;
}

function rangesOf({ spec }: ServiceCIDR): CidrRange[] {
  return (spec.cidrs ?? []).flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr === undefined ? [] : [new CidrRange(cidr)];
  });
}
