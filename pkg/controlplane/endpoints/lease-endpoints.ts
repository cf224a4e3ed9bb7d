import type { EndpointReconciler, ServingAddress } from './endpoint-reconciler.ts';
import type { KubernetesEndpoints } from './kubernetes-endpoints.ts';
import type { MasterLeases } from './master-leases.ts';

/** Type `lease`: the endpoints are the servers that renew their leases; one that died goes when its lease ends. */
export class LeaseEndpoints implements EndpointReconciler {
  private readonly endpoints: KubernetesEndpoints;
  private readonly leases: MasterLeases;

  constructor(endpoints: KubernetesEndpoints, leases: MasterLeases) {
    this.endpoints = endpoints;
    this.leases = leases;
  }

  async reconcile({ ip, port }: ServingAddress): Promise<void> {
    await this.leases.renew(ip);
    await this.follow(port);
  }

  async remove({ ip, port }: ServingAddress): Promise<void> {
    await this.leases.remove(ip);
    await this.follow(port);
  }

  /** The last server leaves its address: a cluster whose leases are all gone has lost them, not its servers. */
  private async follow(port: number): Promise<void> {
    const alive = await this.leases.addresses();
    if (alive.length > 0) await this.endpoints.write(port, () => alive);
  }
}
