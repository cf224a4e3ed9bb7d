import { setTimeout as sleep } from 'node:timers/promises';
import { deployments } from '../../../pkg/api/apps/tokens.ts';
import { configMaps, namespaces, pods, serviceAccounts } from '../../../pkg/api/core/tokens.ts';
import { isNotFound } from '../../../pkg/apimachinery/errors/status-error.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';
import type { Deployment } from '../../../pkg/generated/types/apps-v1.ts';

const NAMESPACE = 'binnacle-bench-cluster';
const OWNER = 'owner';
const POLL_MS = 200;
const TIMEOUT_MS = 600_000;
/** Config maps that are created at a time. */
const AT_ONCE = 50;

/** What a client does to a cluster that moves, each step until its end can be seen. */
export class ClusterLoad {
  private readonly client: Client;
  private readonly names: readonly string[];
  /** Of each deployment. */
  private readonly replicas: number;

  constructor(client: Client, size: { readonly deployments: number; readonly replicas: number }) {
    this.client = client;
    this.names = Array.from({ length: size.deployments }, (_, i) => `web-${i}`);
    this.replicas = size.replicas;
  }

  /** Resolves when pods can be created. */
  async prepare(): Promise<void> {
    await this.client.create(namespaces, { metadata: { name: NAMESPACE }, spec: {}, status: {} });
    await until(async () => (await this.client.list(serviceAccounts, { namespace: NAMESPACE })).items.length > 0);
  }

  async deploy(): Promise<void> {
    await Promise.all(this.names.map((name) => this.client.create(deployments, deployment(name, this.replicas))));
    await until(async () => (await this.sumOf('readyReplicas')) === this.names.length * this.replicas);
  }

  /** Gives some of the deployments another image. */
  async roll(count: number): Promise<void> {
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } } };
    const rolled = this.names.slice(0, count);
    await Promise.all(
      rolled.map((name) => this.client.patch(deployments, { namespace: NAMESPACE, name }, 'strategic', patch)),
    );
    await until(async () => {
      const { items } = await this.client.list(deployments, { namespace: NAMESPACE });
      return items.every(
        ({ metadata, spec, status }) =>
          status.observedGeneration === metadata.generation &&
          status.updatedReplicas === spec.replicas &&
          status.replicas === spec.replicas &&
          status.readyReplicas === spec.replicas,
      );
    });
  }

  async remove(): Promise<void> {
    await Promise.all(this.names.map((name) => this.client.delete(deployments, { namespace: NAMESPACE, name })));
    await until(async () => (await this.client.list(pods, { namespace: NAMESPACE, limit: 1 })).items.length === 0);
  }

  /** Makes an object and others that it owns. */
  async createOwned(count: number): Promise<void> {
    const { metadata } = await this.client.create(configMaps, { metadata: { namespace: NAMESPACE, name: OWNER } });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: OWNER, uid: metadata.uid! }];
    for (let made = 0; made < count; made += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, i) => `owned-${made + i}`);
      await Promise.all(
        some.map((name) =>
          this.client.create(configMaps, { metadata: { namespace: NAMESPACE, name, ownerReferences } }),
        ),
      );
    }
  }

  /** Deletes the owner; resolves when the collector has deleted what it owned. */
  async collectOwned(): Promise<void> {
    await this.client.delete(configMaps, { namespace: NAMESPACE, name: OWNER });
    await until(async () => {
      const { items } = await this.client.list(configMaps, { namespace: NAMESPACE, limit: 2 });
      return items.every(({ metadata }) => metadata.name === 'kube-root-ca.crt');
    });
  }

  async clear(): Promise<void> {
    await this.client.delete(namespaces, { name: NAMESPACE });
    await until(() =>
      this.client.get(namespaces, { name: NAMESPACE }).then(
        () => false,
        (error: unknown) => {
          if (isNotFound(error)) return true;
          throw error;
        },
      ),
    );
  }

  private async sumOf(field: 'readyReplicas'): Promise<number> {
    const { items } = await this.client.list(deployments, { namespace: NAMESPACE });
    return items.reduce((sum, { status }) => sum + (status[field] ?? 0), 0);
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await holds()); await sleep(POLL_MS))
    if (performance.now() > end) throw new Error(`the cluster did not get there in ${TIMEOUT_MS / 1000} s`);
}

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const resources = { requests: { cpu: '100m', memory: '64Mi' } };
  return {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      strategy: {},
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1', resources }] } },
    },
    status: {},
  };
}
