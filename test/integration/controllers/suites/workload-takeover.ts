import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
} from '../../../../pkg/api/apps/tokens.ts';
import { events, pods } from '../../../../pkg/api/core/tokens.ts';
import type { Resource } from '../../../../pkg/api/resource.ts';
import type { ApiObject } from '../../../../pkg/apimachinery/meta/object.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { daemonSetController } from '../../../../pkg/controllers/daemonset/controller.ts';
import { deploymentController } from '../../../../pkg/controllers/deployment/controller.ts';
import { replicaSetController } from '../../../../pkg/controllers/replicaset/controller.ts';
import { statefulSetController } from '../../../../pkg/controllers/statefulset/controller.ts';
import type { ControllerHost, ControllerSuite } from '../controller-suite.ts';
import { NodesAtWork } from '../nodes-at-work.ts';

const FIXTURE = new URL('../../../fixtures/stock-workloads.json', import.meta.url);
const CONFIG = { workers: { deployment: 2, replicaSet: 2, statefulSet: 2, daemonSet: 2 } } as ControllersConfig;
const DESCRIPTORS = [replicaSetController, deploymentController, statefulSetController, daemonSetController];
/** Owners before what they own. */
const RESOURCES: readonly Resource[] = [deployments, replicaSets, statefulSets, daemonSets, controllerRevisions, pods];

interface StockObject extends ApiObject {
  readonly status?: { readonly observedGeneration?: number };
}
type StockWorkloads = Readonly<Record<string, readonly StockObject[]>>;

/** What a stock manager left of a workload, in a namespace of its own. */
class Left {
  readonly nodes: NodesAtWork;
  private readonly host: ControllerHost;
  readonly namespace: string;

  private constructor(host: ControllerHost, namespace: string) {
    this.host = host;
    this.namespace = namespace;
    this.nodes = new NodesAtWork(host, namespace);
  }

  static async load(host: ControllerHost, workload: string): Promise<Left> {
    const left = new Left(host, await host.namespace());
    await left.nodes.add('node-1', 'node-2', 'node-3');
    const text = readFileSync(FIXTURE, 'utf8').replaceAll('<time>', new Date().toISOString().replace(/\.\d+/, ''));
    const uids = new Map<string, string>();
    for (const object of (JSON.parse(text) as StockWorkloads)[workload]!) {
      const { metadata } = await left.create(object, uids);
      uids.set(`${object.kind} ${metadata.name}`, metadata.uid!);
    }
    return left;
  }

  private async create(object: StockObject, uids: ReadonlyMap<string, string>): Promise<ApiObject> {
    const { client } = this.host;
    const resource = RESOURCES.find(({ kind }) => kind === object.kind)!;
    const refs = object.metadata.ownerReferences?.map((ref) => ({ ...ref, uid: uids.get(`${ref.kind} ${ref.name}`)! }));
    const metadata = { ...object.metadata, namespace: this.namespace, ...(refs && { ownerReferences: refs }) };
    const created = await client.create<StockObject>(resource as Resource<StockObject>, { ...object, metadata });
    if (object.status === undefined) return created;
    const { observedGeneration } = object.status;
    const generation = observedGeneration === undefined ? {} : { observedGeneration: created.metadata.generation };
    const name = { namespace: this.namespace, name: metadata.name! };
    return client.patch(
      resource,
      name,
      'merge',
      { status: { ...object.status, ...generation } },
      { subresource: 'status' },
    );
  }

  /** Every object with the version that it has. */
  async versions(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const resource of [...RESOURCES, events])
      for (const { metadata } of (await this.host.client.list<ApiObject>(resource, { namespace: this.namespace }))
        .items)
        found.push(`${resource.kind} ${metadata.name} ${metadata.resourceVersion}`);
    return found.sort();
  }

  async names(resource: Resource): Promise<readonly string[]> {
    const { items } = await this.host.client.list(resource, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name!).sort();
  }

  async images(): Promise<readonly string[]> {
    return (await this.nodes.pods()).map(({ spec }) => spec.containers![0]!.image!).sort();
  }
}

export const workloadTakeover: ControllerSuite = {
  name: 'workloads of a stock manager',
  define(host) {
    let left: Left;
    const startAll = async (): Promise<void> => {
      const started = [];
      for (const { create } of DESCRIPTORS) started.push(await host.start((context) => create(context, CONFIG)!));
      for (const controller of [...started, ...started]) await controller.settled();
    };
    afterEach(() => left.nodes.remove());

    for (const workload of Object.keys(JSON.parse(readFileSync(FIXTURE, 'utf8')) as StockWorkloads))
      it(`are left as they are: ${workload}`, async () => {
        left = await Left.load(host, workload);
        const before = await left.versions();
        await startAll();
        assert.deepEqual(await left.versions(), before);
      });

    it('go on: a rollout of a deployment, without another replica set', async () => {
      left = await Left.load(host, 'deployment-in-rollout');
      const sets = await left.names(replicaSets);
      await startAll();
      const name = { namespace: left.namespace, name: 'web' };
      await left.nodes.until(async () => {
        const { status } = await host.client.get(deployments, name);
        return status.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable') === true;
      }, 'a rollout that is done');
      assert.deepEqual(await left.names(replicaSets), sets);
      const sizes = (await host.client.list(replicaSets, { namespace: left.namespace })).items;
      assert.deepEqual(
        sizes
          .map(({ metadata, spec }) => [metadata.annotations!['deployment.kubernetes.io/revision'], spec.replicas])
          .sort(),
        [
          ['1', 0],
          ['2', 10],
        ],
      );
    });

    it('go on: a rollout of a stateful set, without another revision', async () => {
      left = await Left.load(host, 'statefulset-in-rollout');
      const revisions = await left.names(controllerRevisions);
      await startAll();
      const name = { namespace: left.namespace, name: 'db' };
      const all = { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } };
      await host.client.patch(statefulSets, name, 'merge', all);
      await left.nodes.until(async () => {
        const { status } = await host.client.get(statefulSets, name);
        return status.currentRevision === status.updateRevision && status.readyReplicas === 3;
      }, 'a rollout that is done');
      assert.deepEqual(await left.names(controllerRevisions), revisions);
      assert.deepEqual(await left.images(), ['app:2', 'app:2', 'app:2']);
    });

    it('go on: a rollout of a daemon set, without another revision', async () => {
      left = await Left.load(host, 'daemonset-in-rollout');
      const revisions = await left.names(controllerRevisions);
      await startAll();
      const name = { namespace: left.namespace, name: 'agent' };
      await left.nodes.until(async () => {
        const { status } = await host.client.get(daemonSets, name);
        return status.updatedNumberScheduled === 3 && status.numberAvailable === 3;
      }, 'a rollout that is done');
      assert.deepEqual(await left.names(controllerRevisions), revisions);
      assert.deepEqual(await left.images(), ['app:3', 'app:3', 'app:3']);
      const hashes = new Set(
        (await left.nodes.pods()).map(({ metadata }) => metadata.labels!['controller-revision-hash']),
      );
      assert.equal(hashes.size, 1);
    });

    it('have revisions whose bytes are those that Go programs write', async () => {
      left = await Left.load(host, 'daemonset-in-rollout');
      const path = `/apis/apps/v1/namespaces/${left.namespace}/controllerrevisions`;
      const { body } = await host.server.client.get(path, { accept: 'application/vnd.kubernetes.protobuf' });
      const annotations = '"annotations":{"10":"ten","9":"nine","note":"a\\u0026b"}';
      const args = '"args":["sleep 1 \\u0026\\u0026 echo \\"\\u003ca\\u003e \\u003e b\\""]';
      for (const text of [annotations, args]) assert.equal(body.toString().split(text).length, 3, text);
    });
  },
};
