import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';
import type { SingleObject } from '../single-object.ts';

/** The ServiceCIDR of `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes';

/**
 * Makes the object where there is none, and otherwise leaves it as it is but for a second family. Returns what is there
 * and stays as it is; undefined where it has written.
 */
export async function ensureCidr(
  object: SingleObject<ServiceCIDR>,
  cidrs: readonly string[],
): Promise<ServiceCIDR | undefined> {
  const current = await object.read();
  const spec = { cidrs: [...cidrs] };
  if (current === undefined) await object.create({ metadata: { name: DEFAULT_SERVICE_CIDR }, spec, status: {} });
  else if (gainsFamily(current, cidrs)) await object.update({ ...current, spec: { ...current.spec, ...spec } });
  else return current;
  return undefined;
}

function gainsFamily({ spec }: ServiceCIDR, cidrs: readonly string[]): boolean {
  return spec.cidrs?.length === 1 && cidrs.length === 2 && spec.cidrs[0] === cidrs[0];
}
