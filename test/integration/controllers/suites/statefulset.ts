import assert from 'node:assert/strict';
import { controllerRevisions, statefulSets } from '../../../../pkg/api/apps/tokens.ts';
import { events, persistentVolumeClaims, pods } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { statefulSetController } from '../../../../pkg/controllers/statefulset/controller.ts';
import type { StatefulSet } from '../../../../pkg/generated/types/apps-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { limitResources } from '../limit-resources.ts';
import { NodesAtWork } from '../nodes-at-work.ts';

const CONFIG = { workers: { statefulSet: 2 } } as ControllersConfig;
const labels = { app: 'db' };

export const statefulSet: ControllerSuite = {
  name: 'statefulset',
  define(host) {
    let namespace: string;
    let atWork: NodesAtWork;
    const name = (): { namespace: string; name: string } => ({ namespace, name: 'db' });
    const get = (): Promise<StatefulSet> => host.client.get(statefulSets, name());
    const patch = (spec: object): Promise<unknown> => host.client.patch(statefulSets, name(), 'strategic', { spec });
    const setImage = (image: string): Promise<unknown> =>
      patch({ template: { spec: { containers: [{ name: 'main', image }] } } });
    const create = (spec: Partial<StatefulSet['spec']> = {}): Promise<StatefulSet> =>
      host.client.create(statefulSets, {
        metadata: name(),
        spec: {
          replicas: 2,
          serviceName: 'db',
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'main', image: 'app:1', args: ['a && b > c'], resources: {} }] },
          },
          updateStrategy: {},
          ...spec,
        },
        status: { replicas: 0, availableReplicas: 0 },
      });
    const claimTemplate = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: {},
    };
    const shown = async (): Promise<string> =>
      (await atWork.pods()).map(({ metadata, spec }) => `${metadata.name} ${spec.containers![0]!.image}`).join();
    const isDone = async (replicas: number): Promise<boolean> => {
      const { metadata, status } = await get();
      const counts = [status.replicas, status.availableReplicas, status.updatedReplicas];
      return status.observedGeneration === metadata.generation && counts.every((count) => count === replicas);
    };
    const said = async (reason: string): Promise<readonly string[]> =>
      (await host.client.list(events, { namespace })).items
        .filter((event) => event.reason === reason)
        .map(({ message }) => message!)
        .sort();
    beforeEach(async () => {
      namespace = await host.namespace();
      atWork = new NodesAtWork(host, namespace);
      await host.start((context) => statefulSetController.create(context, CONFIG)!);
    });

    it('makes pods of its own names one after the other, and rolls out from the last one', async () => {
      await create();
      await until(async () => (await atWork.pods()).length === 1, 'the first pod');
      await atWork.until(() => isDone(2), 'both pods');
      const [first] = await atWork.pods();
      const { updateRevision, currentRevision } = (await get()).status;
      assert.deepEqual(first!.metadata.labels, {
        app: 'db',
        'apps.kubernetes.io/pod-index': '0',
        'controller-revision-hash': updateRevision,
        'statefulset.kubernetes.io/pod-name': 'db-0',
      });
      assert.deepEqual([first!.spec.hostname, first!.spec.subdomain, currentRevision], ['db-0', 'db', updateRevision]);
      await setImage('app:2');
      const seen = new Set<string>();
      await atWork.until(async () => {
        seen.add(await shown());
        return isDone(2);
      }, 'a rollout');
      assert.ok(seen.has('db-0 app:1,db-1 app:2'), [...seen].join('; '));
      assert.ok(!seen.has('db-0 app:2,db-1 app:1'));
      assert.equal(await shown(), 'db-0 app:2,db-1 app:2');
    });

    it('keeps revisions in the bytes of Go programs, and goes back to one that is there', async () => {
      await create({ replicas: 1 });
      await atWork.until(() => isDone(1), 'a pod');
      const path = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
      const { body } = await host.server.client.get(path, { accept: 'application/vnd.kubernetes.protobuf' });
      assert.ok(body.includes('{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},"spec":'));
      assert.ok(body.includes('"args":["a \\u0026\\u0026 b \\u003e c"]'));
      await setImage('app:2');
      await atWork.until(async () => (await isDone(1)) && (await shown()) === 'db-0 app:2', 'a rollout');
      await setImage('app:1');
      await atWork.until(async () => (await isDone(1)) && (await shown()) === 'db-0 app:1', 'the way back');
      const { items } = await host.client.list(controllerRevisions, { namespace });
      assert.deepEqual(items.map(({ revision }) => revision).sort(), [2, 3]);
    });

    it('gives claims to its pods, and the claims owners when its policy says so', async () => {
      const { spec } = await create({ volumeClaimTemplates: [claimTemplate] });
      assert.deepEqual(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' });
      await atWork.until(() => isDone(2), 'both pods');
      const owners = async (): Promise<readonly unknown[]> =>
        (await host.client.list(persistentVolumeClaims, { namespace })).items.map(({ metadata }) => [
          metadata.name,
          metadata.ownerReferences?.map(({ kind }) => kind),
        ]);
      assert.deepEqual(await owners(), [
        ['data-db-0', undefined],
        ['data-db-1', undefined],
      ]);
      await patch({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' } });
      const ofSet = JSON.stringify([
        ['data-db-0', ['StatefulSet']],
        ['data-db-1', ['StatefulSet']],
      ]);
      await until(async () => JSON.stringify(await owners()) === ofSet, 'owners');
      await until(async () => (await said('SuccessfulUpdate')).length === 2, 'events');
      await patch({ replicas: 1 });
      await until(async () => JSON.stringify(await owners()).includes('["data-db-1",["Pod"]]'), 'another owner');
      await atWork.until(() => isDone(1), 'one pod');
    });

    it('says which claims a quota refuses, and goes on without it', async () => {
      const lift = await limitResources(host, { namespace, name: 'none' }, { persistentvolumeclaims: '0' });
      await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
      await until(async () => (await said('FailedCreate')).length === 2, 'events');
      const refusal =
        'persistentvolumeclaims "data-db-0" is forbidden: exceeded quota: none, ' +
        'requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';
      assert.deepEqual(await said('FailedCreate'), [
        `Create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: ${refusal}`,
        `Create Pod db-0 in StatefulSet db failed error: failed to create PVC data-db-0: ${refusal}`,
      ]);
      await lift();
      await atWork.until(() => isDone(1), 'a pod');
      host.errors.splice(0);
    });

    it('replaces a pod that has failed, and one of its name that is of no revision', async () => {
      const metadata = { namespace, name: 'db-0', labels };
      const container = { name: 'main', image: 'app:1', resources: {} };
      const lone = await host.client.create(pods, { metadata, spec: { containers: [container] }, status: {} });
      await create({ replicas: 1 });
      await atWork.until(() => isDone(1), 'a pod of the set');
      const [made] = await atWork.pods();
      assert.notEqual(made!.metadata.uid, lone.metadata.uid);
      assert.deepEqual(await said('SuccessfulUpdate'), ['Update Pod db-0 in StatefulSet db successful']);
      const pod = { namespace, name: 'db-0' };
      await host.client.patch(pods, pod, 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
      await atWork.until(async () => {
        const [found] = await atWork.pods();
        return found !== undefined && found.metadata.uid !== made!.metadata.uid && isDone(1);
      }, 'another pod');
    });
  },
};
