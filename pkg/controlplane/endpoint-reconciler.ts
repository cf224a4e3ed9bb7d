import type { Endpoints } from '../generated/types/core-v1.ts';
import type { EndpointSlice } from '../generated/types/discovery-v1.ts';
import { isNotFound } from '../apimachinery/status-error.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { changeOwn } from './own-objects.ts';
import { createIfAbsent } from './system-namespaces.ts';

/** Where this server can be reached from inside the cluster. */
export interface ServingAddress {
  readonly ip: string;
  readonly port: number;
}

/** Tells the cluster through the endpoints of the `kubernetes` service which servers there are. */
export interface EndpointReconciler {
  /** Makes the endpoints say that this server is there. Called again and again. */
  reconcile(own: ServingAddress): Promise<void>;
  /** Makes them no longer say so, at a clean stop. */
  remove(own: ServingAddress): Promise<void>;
}

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const PORT_NAME = 'https';
/** Keeps the mirroring controller away: the slice is written here too. */
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const SERVICE_NAME = 'kubernetes.io/service-name';

type Subset = NonNullable<Endpoints['subsets']>[number];
type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** For a single server: the endpoints are its address and nothing else, so that what an earlier one left behind goes away. */
export class SingleServerEndpoints implements EndpointReconciler {
  private readonly stores: StoreAccess;

  constructor(stores: StoreAccess) {
    this.stores = stores;
  }

  async reconcile(own: ServingAddress): Promise<void> {
    await this.write(own, [own.ip]);
  }

  async remove(own: ServingAddress): Promise<void> {
    try {
      await this.write(own, []);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  private async write({ ip, port }: ServingAddress, ips: readonly string[]): Promise<void> {
    const subsets: Subset[] = ips.length === 0 ? [] : [{ addresses: ips.map((address) => ({ ip: address })), ports: [{ name: PORT_NAME, port, protocol: 'TCP' }] }];
    await this.ensure('endpoints', { metadata: { name: NAME, namespace: NAMESPACE, labels: { [SKIP_MIRROR]: 'true' } }, subsets }, (endpoints: Endpoints) => {
      endpoints.metadata.labels = { ...endpoints.metadata.labels, [SKIP_MIRROR]: 'true' };
      if (subsets.length > 0) endpoints.subsets = subsets;
      else delete endpoints.subsets;
    });
    const endpoints: SliceEndpoint[] = ips.map((address) => ({ addresses: [address], conditions: { ready: true } }));
    const slice = {
      metadata: { name: NAME, namespace: NAMESPACE, labels: { [SERVICE_NAME]: NAME } },
      addressType: ip.includes(':') ? 'IPv6' : 'IPv4', endpoints, ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
    };
    await this.ensure('endpointslices.discovery.k8s.io', slice, (object: EndpointSlice) => {
      object.metadata.labels = { ...object.metadata.labels, [SERVICE_NAME]: NAME };
      object.endpoints = endpoints;
      object.ports = slice.ports;
    });
  }

  private async ensure<T extends Endpoints | EndpointSlice>(resource: string, body: object, change: (object: T) => void): Promise<void> {
    const store = this.stores(resource);
    await createIfAbsent(store, body);
    await changeOwn<T>(store, NAMESPACE, NAME, change);
  }
}
