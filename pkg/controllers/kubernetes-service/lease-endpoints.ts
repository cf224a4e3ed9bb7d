import type { EndpointReconciler, ServingAddress } from './endpoint-reconciler.ts';
import { KubernetesEndpoints, type EndpointObjects } from './kubernetes-endpoints.ts';
import type { ServerLeases } from './server-leases.ts';

/** Type `lease`: the endpoints are the servers that renew their leases; one that died goes when its lease ends. */
export class LeaseEndpoints implements EndpointReconciler {
  private readonly endpoints = new KubernetesEndpoints();
  private readonly leases: ServerLeases;

  constructor(leases: ServerLeases) {
    this.leases = leases;
  }

  async reconcile({ ip, port }: ServingAddress, objects: EndpointObjects): Promise<void> {
    await this.leases.renew(ip);
    await this.follow(port, objects);
  }

  async remove({ ip, port }: ServingAddress, objects: EndpointObjects): Promise<void> {
    await this.leases.remove(ip);
    await this.follow(port, objects);
  }

  /** The last server leaves its address: a cluster whose leases are all gone has lost them, not its servers. */
  private async follow(port: number, objects: EndpointObjects): Promise<void> {
    const alive = await this.leases.addresses();
    if (alive.length > 0) await this.endpoints.write(objects, port, () => alive);
  }
}
