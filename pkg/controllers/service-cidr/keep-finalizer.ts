import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';

const SERVICE_CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

export function hasFinalizer({ metadata }: ServiceCIDR): boolean {
  return metadata.finalizers?.includes(SERVICE_CIDR_FINALIZER) ?? false;
}

export function withFinalizer(cidr: ServiceCIDR): ServiceCIDR {
  return withFinalizers(cidr, [...(cidr.metadata.finalizers ?? []), SERVICE_CIDR_FINALIZER]);
}

/** The server then deletes it, where no other finalizer is left. */
export function withoutFinalizer(cidr: ServiceCIDR): ServiceCIDR {
  const left = (cidr.metadata.finalizers ?? []).filter((finalizer) => finalizer !== SERVICE_CIDR_FINALIZER);
  return withFinalizers(cidr, left);
}

function withFinalizers(cidr: ServiceCIDR, finalizers: string[]): ServiceCIDR {
  return { ...cidr, metadata: { ...cidr.metadata, finalizers } };
}
