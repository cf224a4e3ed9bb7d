import { setTimeout as sleep } from 'node:timers/promises';
import { deployments, statefulSets } from '../../../pkg/api/apps/tokens.ts';
import { jobs } from '../../../pkg/api/batch/tokens.ts';
import { namespaces, serviceAccounts } from '../../../pkg/api/core/tokens.ts';
import type { Resource } from '../../../pkg/api/resource.ts';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';
import type { PodTemplateSpec } from '../../../pkg/generated/types/core-v1.ts';
import { until } from '../../fixtures/until.ts';
import type { Random } from '../../fuzz/mutate.ts';

export const NAMESPACE = 'load';
const PAUSE_MS = 300;
/** Changes on their way at a time. */
const LANES = 4;
const MOST = { deployments: 8, statefulsets: 3, jobs: 12 };

/** Creates, rolls, scales and deletes deployments, stateful sets and jobs until it is stopped. */
export class Workload {
  /** Changes that a server has acknowledged. */
  changes = 0;
  private readonly client: Client;
  private readonly random: Random;
  private readonly alive = { deployments: new Set<string>(), statefulsets: new Set<string>(), jobs: new Set<string>() };
  private readonly running: Promise<unknown>;
  private isOver = false;
  private made = 0;

  private constructor(client: Client, random: Random) {
    this.client = client;
    this.random = random;
    this.running = Promise.all(Array.from({ length: LANES }, () => this.run()));
  }

  static async start(client: Client, random: Random): Promise<Workload> {
    await client.create(namespaces, { metadata: { name: NAMESPACE }, spec: {}, status: {} });
    await until(
      async () => (await client.list(serviceAccounts, { namespace: NAMESPACE })).items.length > 0,
      'the namespace has its account',
    );
    return new Workload(client, random);
  }

  /** What it made stays. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /** One more deployment. */
  createOne(): Promise<void> {
    return this.create('deployments');
  }

  /** Deletes what it made, and the rest with it. */
  async deleteAll(): Promise<void> {
    for (const resource of [deployments, statefulSets, jobs] as readonly Resource[])
      await this.client.deleteCollection(resource, { namespace: NAMESPACE }, { propagationPolicy: 'Background' });
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.change();
        this.changes++;
      } catch {
        // A server is gone, and with it perhaps the answer: the next change goes to another one.
      }
      await sleep(PAUSE_MS);
    }
  }

  private change(): Promise<unknown> {
    const kind = (['deployments', 'deployments', 'statefulsets', 'jobs'] as const)[this.random.below(4)]!;
    const names = [...this.alive[kind]];
    if (names.length < MOST[kind] && (names.length < 3 || this.random.next() < 0.3)) return this.create(kind);
    const name = names[this.random.below(names.length)]!;
    if (kind === 'jobs' || this.random.next() < 0.15) return this.delete(kind, name);
    const resource: Resource = kind === 'deployments' ? deployments : statefulSets;
    const patch =
      this.random.next() < 0.5
        ? { spec: { replicas: this.random.below(7) } }
        : { spec: { template: { metadata: { annotations: { roll: String(this.made++) } } } } };
    return this.client.patch(resource, { namespace: NAMESPACE, name }, 'merge', patch);
  }

  private async create(kind: 'deployments' | 'statefulsets' | 'jobs'): Promise<void> {
    const name = `${kind.slice(0, 3)}-${this.made++}`;
    const metadata = { name, namespace: NAMESPACE };
    const create = <T extends ApiObject>(resource: Resource<T>, object: T): Promise<T> =>
      this.client.create(resource, object);
    this.alive[kind].add(name);
    if (kind === 'jobs') {
      const parallelism = 1 + this.random.below(3);
      const completionMode = this.random.next() < 0.5 ? 'Indexed' : 'NonIndexed';
      const template = templateOf(name, ['sleep', '1'], 'Never');
      const spec = { completions: 1 + this.random.below(6), parallelism, completionMode, template };
      await create(jobs, { metadata, spec, status: {} });
      return;
    }
    const common = {
      replicas: 1 + this.random.below(6),
      selector: { matchLabels: { app: name } },
      template: templateOf(name),
    };
    if (kind === 'statefulsets') {
      await create(statefulSets, {
        metadata,
        spec: { ...common, serviceName: name, updateStrategy: {} },
        status: { replicas: 0, availableReplicas: 0 },
      });
      return;
    }
    const rollingUpdate = { maxSurge: [1, 2, '50%'][this.random.below(3)]!, maxUnavailable: this.random.below(2) };
    if (rollingUpdate.maxUnavailable === 0 && rollingUpdate.maxSurge === 0) rollingUpdate.maxSurge = 1;
    await create(deployments, { metadata, spec: { ...common, strategy: { rollingUpdate } }, status: {} });
  }

  private async delete(kind: 'deployments' | 'statefulsets' | 'jobs', name: string): Promise<void> {
    this.alive[kind].delete(name);
    const resource: Resource = { deployments, statefulsets: statefulSets, jobs }[kind];
    await this.client.delete(resource, { namespace: NAMESPACE, name }, { propagationPolicy: 'Background' });
  }
}

function templateOf(app: string, command?: string[], restartPolicy?: string): PodTemplateSpec {
  const container = { name: 'main', image: 'app:1', resources: {}, ...(command === undefined ? {} : { command }) };
  return {
    metadata: { labels: { app } },
    spec: { containers: [container], ...(restartPolicy === undefined ? {} : { restartPolicy }) },
  };
}
