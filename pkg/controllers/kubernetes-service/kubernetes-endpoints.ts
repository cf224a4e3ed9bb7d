import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Endpoints } from '../../generated/types/core-v1.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { SingleObject } from '../single-object.ts';
import { NAME, NAMESPACE } from './service-object.ts';

const PORT_NAME = 'https';
/** Keeps the mirroring controller away: the slice is written here too. */
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const SERVICE_NAME = 'kubernetes.io/service-name';

type Ports = NonNullable<NonNullable<Endpoints['subsets']>[number]['ports']>;

/** Where the two objects are. */
export interface EndpointObjects {
  readonly endpoints: SingleObject<Endpoints>;
  readonly slice: SingleObject<EndpointSlice> & { remove(): Promise<unknown> };
}

/** The Endpoints and the EndpointSlice of the `kubernetes` service: every reconciler writes them in this form. */
export class KubernetesEndpoints {
  /**
   * The first round makes the ports this server's; then they stay as they are: servers with different ports would
   * overwrite each other's for ever.
   */
  private portsAreSet = false;

  /**
   * Makes both name the addresses that `choose` gives for those that are there, the first time at `port`. Writes
   * nothing where nothing changes.
   */
  async write(
    { endpoints, slice }: EndpointObjects,
    port: number,
    choose: (present: readonly string[]) => readonly string[],
  ): Promise<void> {
    const current = await endpoints.read();
    const ips = [...choose(addressesOf(current))].sort(byBytes);
    const ports = this.portsOf(current) ?? [{ name: PORT_NAME, port, protocol: 'TCP' }];
    await writeEndpoints(endpoints, current, ips, ports);
    await writeSlice(slice, ips, ports);
    this.portsAreSet = true;
  }

  /** Undefined where they are to be this server's. */
  private portsOf(current: Endpoints | undefined): Ports | undefined {
    return this.portsAreSet && current?.subsets?.length === 1 ? current.subsets[0]!.ports : undefined;
  }
}

async function writeEndpoints(
  endpoints: SingleObject<Endpoints>,
  current: Endpoints | undefined,
  ips: readonly string[],
  ports: Ports,
): Promise<void> {
  const wanted: Endpoints = {
    ...current,
    metadata: withLabel(current?.metadata ?? { name: NAME, namespace: NAMESPACE }, SKIP_MIRROR, 'true'),
    subsets: ips.length > 0 ? [{ addresses: ips.map((ip) => ({ ip })), ports }] : [],
  };
  if (current === undefined) await endpoints.create(wanted);
  else if (!deepEqual({ ...current, subsets: current.subsets ?? [] }, wanted)) await endpoints.update(wanted);
}

/** Names the addresses of IPv4; those of IPv6 where there are no others, since a slice has one type. */
async function writeSlice(slice: EndpointObjects['slice'], ips: readonly string[], ports: Ports): Promise<void> {
  const addressType = ips.length > 0 && ips.every(isIpv6) ? 'IPv6' : 'IPv4';
  const endpoints = ips
    .filter((ip) => isIpv6(ip) === (addressType === 'IPv6'))
    .map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  let current = await slice.read();
  // A slice has one type of addresses for as long as it is there: one of the other type makes room.
  if (current !== undefined && ips.length > 0 && current.addressType !== addressType) {
    await slice.remove();
    current = undefined;
  }
  const metadata = withLabel(current?.metadata ?? { name: NAME, namespace: NAMESPACE }, SERVICE_NAME, NAME);
  const wanted: EndpointSlice = { ...(current ?? { addressType }), metadata, endpoints, ports };
  if (current === undefined) await slice.create(wanted);
  else if (!deepEqual(current, wanted)) await slice.update(wanted);
}

function withLabel(metadata: Endpoints['metadata'], label: string, value: string): Endpoints['metadata'] {
  return { ...metadata, labels: { ...metadata.labels, [label]: value } };
}

function addressesOf(endpoints: Endpoints | undefined): string[] {
  return (endpoints?.subsets ?? [])
    .flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip ?? ''))
    .filter((ip) => ip !== '');
}

function isIpv6(ip: string): boolean {
  return ip.includes(':');
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
