import type { LoadBalancerStatus, Node, Service } from '../../generated/types/core-v1.ts';
import type { LoadBalancerProvider } from './load-balancer-provider.ts';

/** For tests: load balancers that are only written down. */
export class SimulatedLoadBalancers implements LoadBalancerProvider {
  /** Names of the nodes that each sends to, by uid of the service. */
  readonly balancers = new Map<string, readonly string[]>();
  readonly calls: string[] = [];
  /** What calls fail with. */
  failure: Error | undefined;

  find(_cluster: string, { metadata }: Service): Promise<LoadBalancerStatus | undefined> {
    return Promise.resolve(this.balancers.has(metadata.uid!) ? this.status() : undefined);
  }

  async ensure(_cluster: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus> {
    this.write('ensure', service, nodes);
    return this.status();
  }

  async updateNodes(_cluster: string, service: Service, nodes: readonly Node[]): Promise<void> {
    this.write('update', service, nodes);
  }

  async remove(_cluster: string, { metadata }: Service): Promise<void> {
    this.called('remove');
    this.balancers.delete(metadata.uid!);
  }

  private write(call: string, { metadata }: Service, nodes: readonly Node[]): void {
    this.called(call);
    this.balancers.set(
      metadata.uid!,
      nodes.map((node) => node.metadata.name!),
    );
  }

  private called(call: string): void {
    this.calls.push(call);
    if (this.failure !== undefined) throw this.failure;
  }

  private status(): LoadBalancerStatus {
    return { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] };
  }
}
