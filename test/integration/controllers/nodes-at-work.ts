import { nodes, pods } from '../../../pkg/api/core/tokens.ts';
import type { Resource } from '../../../pkg/api/resource.ts';
import { isNotFound } from '../../../pkg/apimachinery/errors/status-error.ts';
import type { Pod } from '../../../pkg/generated/types/core-v1.ts';
import { until } from '../../fixtures/until.ts';
import type { ControllerHost } from './controller-suite.ts';

/** In place of node agents: pods of one namespace become ready, and those that are deleted go. */
export class NodesAtWork {
  private readonly host: ControllerHost;
  private readonly namespace: string;
  private readonly made: string[] = [];

  constructor(host: ControllerHost, namespace: string) {
    this.host = host;
    this.namespace = namespace;
  }

  async add(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
      await this.host.client.create(nodes as Resource, { metadata });
      // Admission has marked it as not ready.
      await this.host.client.patch(nodes, { name }, 'merge', { spec: { taints: null } });
      this.made.push(name);
    }
  }

  async remove(): Promise<void> {
    for (const name of this.made.splice(0)) await this.host.client.delete(nodes, { name });
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.host.client.list(pods, { namespace: this.namespace })).items;
  }

  /** Waits for something that comes while pods run. */
  async until(holds: () => boolean | Promise<boolean>, what: string, isStuck?: (pod: Pod) => boolean): Promise<void> {
    await until(async () => {
      for (const pod of await this.pods()) if (isStuck?.(pod) !== true) await this.work(pod);
      return holds();
    }, what);
  }

  private async work({ metadata, status }: Pod): Promise<void> {
    const { client } = this.host;
    const name = { namespace: this.namespace, name: metadata.name! };
    try {
      if (metadata.deletionTimestamp !== undefined) {
        await client.delete(pods, name, { gracePeriodSeconds: 0 });
      } else if (status.phase === 'Pending') {
        const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
        const ready = { status: { phase: 'Running', conditions } };
        await client.patch(pods, name, 'strategic', ready, { subresource: 'status' });
      }
    } catch (error) {
      // A controller has deleted it meanwhile.
      if (!isNotFound(error)) throw error;
    }
  }
}
