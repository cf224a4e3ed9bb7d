import { deployments } from '../../../pkg/api/apps/tokens.ts';
import { configMaps, namespaces, pods, serviceAccounts } from '../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../pkg/apimachinery/errors/status-error.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import type { Deployment } from '../../../pkg/generated/types/apps-v1.ts';
import { until } from '../../fixtures/until.ts';
import type { Endpoint } from '../client/http-connection.ts';

const NAMESPACE = 'binnacle-bench-cluster';
const OWNER = 'owner';
const PACE = { patienceMs: 600_000, pollMs: 200 };
/** Config maps that are created at a time. */
const AT_ONCE = 50;

/** A client without a limit of its own. */
export function clusterClient({ url, token, ca }: Endpoint): RestClient {
  const trust = ca === undefined ? { insecureSkipTlsVerify: true } : { ca };
  return new RestClient({ server: new URL(url), credentials: { token }, ...trust }, { qps: -1 });
}

/** What a client does to a cluster that moves, each step until its end can be seen. */
export class ClusterLoad {
  private readonly client: RestClient;
  private readonly names: readonly string[];
  /** Of each deployment. */
  private readonly replicas: number;

  constructor(endpoint: Endpoint, size: { readonly deployments: number; readonly replicas: number }) {
    this.client = clusterClient(endpoint);
    this.names = Array.from({ length: size.deployments }, (_, i) => `web-${i}`);
    this.replicas = size.replicas;
  }

  /** Resolves when pods can be created. */
  async prepare(): Promise<void> {
    await this.client.create(namespaces, { metadata: { name: NAMESPACE }, spec: {}, status: {} });
    await until(
      async () => (await this.client.list(serviceAccounts, { namespace: NAMESPACE })).items.length > 0,
      'a service account',
      PACE,
    );
  }

  async deploy(): Promise<void> {
    await Promise.all(this.names.map((name) => this.client.create(deployments, deployment(name, this.replicas))));
    await this.untilDeployed(({ status }) => status.readyReplicas === this.replicas, 'all pods are ready');
  }

  /** Gives some of the deployments another image. */
  async roll(count: number): Promise<void> {
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } } };
    const rolled = this.names.slice(0, count);
    await Promise.all(
      rolled.map((name) => this.client.patch(deployments, { namespace: NAMESPACE, name }, 'strategic', patch)),
    );
    await this.untilDeployed(
      ({ metadata, status }) =>
        status.observedGeneration === metadata.generation &&
        status.updatedReplicas === this.replicas &&
        status.replicas === this.replicas &&
        status.readyReplicas === this.replicas,
      'the rolling updates are done',
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.names.map((name) => this.client.delete(deployments, { namespace: NAMESPACE, name })));
    await until(
      async () => (await this.client.list(pods, { namespace: NAMESPACE, limit: 1 })).items.length === 0,
      'all pods are gone',
      PACE,
    );
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
    await until(
      async () => {
        const { items } = await this.client.list(configMaps, { namespace: NAMESPACE, limit: 2 });
        return items.every(({ metadata }) => metadata.name === 'kube-root-ca.crt');
      },
      'all that was owned is gone',
      PACE,
    );
  }

  async clear(): Promise<void> {
    await this.client.delete(namespaces, { name: NAMESPACE });
    await until(
      async () => (await unlessNotFound(this.client.get(namespaces, { name: NAMESPACE }))) === undefined,
      'the namespace is gone',
      PACE,
    );
  }

  close(): void {
    this.client.close();
  }

  /** Until something holds of every deployment. */
  private async untilDeployed(holds: (deployment: Deployment) => boolean, what: string): Promise<void> {
    await until(
      async () => (await this.client.list(deployments, { namespace: NAMESPACE })).items.every(holds),
      what,
      PACE,
    );
  }
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
