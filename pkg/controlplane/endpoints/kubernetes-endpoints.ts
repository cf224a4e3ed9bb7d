import type { Endpoints } from '../../generated/types/core-v1.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { changeOwn, createOwnIfAbsent, ownWrite } from '../../registry/own-writes.ts';

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const PORT_NAME = 'https';
/** Keeps the mirroring controller away: the slice is written here too. */
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const SERVICE_NAME = 'kubernetes.io/service-name';

type Ports = NonNullable<NonNullable<Endpoints['subsets']>[number]['ports']>;
type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** The Endpoints and the EndpointSlice of the `kubernetes` service: every reconciler writes them in this form. */
export class KubernetesEndpoints {
  private readonly stores: StoreAccess;
  /**
   * The first round makes the ports this server's; then they stay as they are: servers with different ports would
   * overwrite each other's for ever.
   */
  private portsAreSet = false;

  constructor(stores: StoreAccess) {
    this.stores = stores;
  }

  /**
   * Makes both name the addresses that `choose` gives for those that are there, the first time at `port`. Writes
   * nothing where nothing changes; `choose` runs again when another server writes at the same time.
   */
  async write(port: number, choose: (present: readonly string[]) => readonly string[]): Promise<void> {
    let chosen: readonly string[] = [];
    let ports: Ports = [];
    const endpoints: object = {
      metadata: { name: NAME, namespace: NAMESPACE, labels: { [SKIP_MIRROR]: 'true' } },
      subsets: [],
    };
    await this.ensure(this.stores('endpoints'), endpoints, (object: Endpoints) => {
      chosen = [...choose(addressesOf(object))].sort(byBytes);
      object.metadata.labels = { ...object.metadata.labels, [SKIP_MIRROR]: 'true' };
      ports = this.portsOf(object) ?? [{ name: PORT_NAME, port, protocol: 'TCP' }];
      if (chosen.length > 0) object.subsets = [{ addresses: chosen.map((ip) => ({ ip })), ports }];
      else delete object.subsets;
    });
    await this.writeSlice(ports, chosen);
    this.portsAreSet = true;
  }

  /** Undefined where they are to be this server's. */
  private portsOf({ subsets }: Endpoints): Ports | undefined {
    return this.portsAreSet && subsets?.length === 1 ? subsets[0]!.ports : undefined;
  }

  /** Names the addresses of IPv4; those of IPv6 where there are no others, since a slice has one type. */
  private async writeSlice(ports: Ports, ips: readonly string[]): Promise<void> {
    const addressType = ips.length > 0 && ips.every(isIpv6) ? 'IPv6' : 'IPv4';
    const endpoints: SliceEndpoint[] = ips
      .filter((ip) => isIpv6(ip) === (addressType === 'IPv6'))
      .map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
    if (ips.length > 0) await this.removeSliceUnlessOf(addressType);
    const slice = {
      metadata: { name: NAME, namespace: NAMESPACE, labels: { [SERVICE_NAME]: NAME } },
      addressType,
      endpoints,
      ports,
    };
    await this.ensure(this.stores('endpointslices.discovery.k8s.io'), slice, (object: EndpointSlice) => {
      object.metadata.labels = { ...object.metadata.labels, [SERVICE_NAME]: NAME };
      object.endpoints = endpoints;
      object.ports = ports;
    });
  }

  /** A slice has one type of addresses for as long as it is there: one of the other type makes room. */
  private async removeSliceUnlessOf(addressType: string): Promise<void> {
    const store = this.stores('endpointslices.discovery.k8s.io');
    const found = await store.newest(store.keyOf(NAMESPACE, NAME));
    if (found === undefined || (found.object() as EndpointSlice).addressType === addressType) return;
    await deleteObject(store, { ...ownWrite(store, NAMESPACE, NAME), options: {} });
  }

  private async ensure<T extends Endpoints | EndpointSlice>(
    store: ResourceStore,
    body: object,
    change: (object: T) => void,
  ): Promise<void> {
    await createOwnIfAbsent(store, body);
    await changeOwn<T>(store, NAMESPACE, NAME, change);
  }
}

function addressesOf({ subsets }: Endpoints): string[] {
  return (subsets ?? [])
    .flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip ?? ''))
    .filter((ip) => ip !== '');
}

function isIpv6(ip: string): boolean {
  return ip.includes(':');
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
