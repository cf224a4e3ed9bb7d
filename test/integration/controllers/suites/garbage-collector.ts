import assert from 'node:assert/strict';
import { deployments, replicaSets } from '../../../../pkg/api/apps/tokens.ts';
import { customResourceDefinitions } from '../../../../pkg/api/apiextensions/tokens.ts';
import { configMaps, events, namespaces, pods } from '../../../../pkg/api/core/tokens.ts';
import { groupVersionOf, type Resource } from '../../../../pkg/api/resource.ts';
import { tokenOf } from '../../../../pkg/api/resource-definition.ts';
import { isNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ApiObject, OwnerReference } from '../../../../pkg/apimachinery/meta/object.ts';
import { metadataOf } from '../../../../pkg/client/rest/partial-metadata.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { garbageCollectorController } from '../../../../pkg/controllers/garbage-collector/controller.ts';
import type { CustomResourceDefinition } from '../../../../pkg/generated/types/apiextensions-v1.ts';
import { cronTabs } from '../../../fixtures/cron-tabs.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = { workers: { garbageCollector: 20 }, garbageCollector: { enabled: true } } as ControllersConfig;
const HOLD = 'example.org/hold';

/** A reference to an object as its owner. */
function ownedBy(resource: Resource, { metadata }: ApiObject, blockOwnerDeletion = false): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: groupVersionOf(resource), kind: resource.kind, name, uid, blockOwnerDeletion };
}

export const garbageCollector: ControllerSuite = {
  name: 'garbage collector',
  define(host) {
    let namespace: string;
    beforeEach(async () => (namespace = await host.namespace()));
    const start = async (): Promise<void> =>
      void (await host.start((context) => garbageCollectorController.create(context, CONFIG)!));

    const configMap = (name: string, ownerReferences: OwnerReference[] = [], finalizers: string[] = []) =>
      host.client.create(configMaps, { metadata: { name, namespace, ownerReferences, finalizers }, data: {} });
    const find = (resource: Resource, name: string, where = namespace): Promise<ApiObject | undefined> =>
      host.client
        .get(metadataOf(resource), resource.namespaced ? { namespace: where, name } : { name })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          return undefined;
        });
    const gone = (resource: Resource, name: string): Promise<void> =>
      until(async () => (await find(resource, name)) === undefined, `${resource.kind} ${name} is gone`);
    const release = (name: string): Promise<unknown> =>
      host.client.patch(configMaps, { namespace, name }, 'merge', { metadata: { finalizers: null } });

    it('deletes what a deleted owner leaves behind, over several kinds', async () => {
      const root = await configMap('root');
      const labels = { app: 'web' };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
      };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      const deployment = await host.client.create(deployments, {
        metadata: { name: 'web', namespace, ownerReferences: [ownedBy(configMaps, root)] },
        spec: { ...spec, strategy: {} },
        status: {},
      });
      const set = await host.client.create(replicaSets, {
        metadata: { name: 'web-1', namespace, ownerReferences: [ownedBy(deployments, deployment, true)] },
        spec,
        status: { replicas: 0 },
      });
      await host.client.create(pods, {
        metadata: { name: 'web-1-a', namespace, labels, ownerReferences: [ownedBy(replicaSets, set, true)] },
        spec: { containers: template.spec.containers, automountServiceAccountToken: false },
        status: {},
      });
      await start();
      await configMap('lost', [{ ...ownedBy(configMaps, root), name: 'nobody', uid: 'no-such-uid' }]);
      await gone(configMaps, 'lost');
      assert.ok(await find(pods, 'web-1-a'));
      await host.client.delete(configMaps, { namespace, name: 'root' });
      await gone(pods, 'web-1-a');
      assert.deepEqual([await find(deployments, 'web'), await find(replicaSets, 'web-1')], [undefined, undefined]);
    });

    it('keeps an owner in the foreground until what blocks it goes, or no longer blocks', async () => {
      const [root, other] = [await configMap('root'), await configMap('other')];
      await configMap('held', [ownedBy(configMaps, root, true)], [HOLD]);
      await configMap('unblocked', [ownedBy(configMaps, other, true)], [HOLD]);
      await start();
      for (const name of ['root', 'other'])
        await host.client.delete(configMaps, { namespace, name }, { propagationPolicy: 'Foreground' });
      const isDeleted = async (name: string): Promise<boolean> =>
        (await find(configMaps, name))?.metadata.deletionTimestamp !== undefined;
      await until(async () => (await isDeleted('held')) && (await isDeleted('unblocked')), 'deletion of dependents');
      assert.deepEqual((await find(configMaps, 'root'))?.metadata.finalizers, ['foregroundDeletion']);
      await release('held');
      await gone(configMaps, 'root');
      const ownerReferences = [ownedBy(configMaps, other)];
      await host.client.patch(configMaps, { namespace, name: 'unblocked' }, 'merge', { metadata: { ownerReferences } });
      await gone(configMaps, 'other');
      assert.ok(await find(configMaps, 'unblocked'));
      await release('unblocked');
    });

    it('takes owners off their dependents where these are to stay, or have another owner', async () => {
      const [root, second] = [await configMap('root'), await configMap('second')];
      await configMap('orphan', [ownedBy(configMaps, root)]);
      await configMap('shared', [ownedBy(configMaps, root), ownedBy(configMaps, second)]);
      await start();
      await host.client.delete(configMaps, { namespace, name: 'second' });
      const owners = async (name: string): Promise<string[]> =>
        ((await find(configMaps, name))?.metadata.ownerReferences ?? []).map((owner) => owner.name);
      await until(async () => (await owners('shared')).join() === 'root', 'one owner less');
      await host.client.delete(configMaps, { namespace, name: 'root' }, { propagationPolicy: 'Orphan' });
      await gone(configMaps, 'root');
      assert.deepEqual([await owners('orphan'), await owners('shared')], [[], []]);
    });

    it('reports owners in other namespaces, and keeps what names one of no namespace', async () => {
      const root = await configMap('root');
      const cluster = await host.client.get(namespaces, { name: namespace });
      const elsewhere = await host.namespace();
      await start();
      const make = (name: string, owner: OwnerReference): Promise<unknown> =>
        host.client.create(configMaps, {
          metadata: { name, namespace: elsewhere, ownerReferences: [owner] },
          data: {},
        });
      await make('right', ownedBy(namespaces, cluster));
      await make('wrong', ownedBy(configMaps, root));
      await until(async () => (await find(configMaps, 'wrong', elsewhere)) === undefined, 'deletion of the dependent');
      assert.ok(await find(configMaps, 'right', elsewhere));
      const found = async () => (await host.client.list(events, { namespace: elsewhere })).items;
      await until(async () => (await found()).length > 0, 'the event');
      const { uid } = root.metadata;
      assert.deepEqual(
        (await found()).map(({ reason, message }) => [reason, message]),
        [
          [
            'OwnerRefInvalidNamespace',
            `ownerRef [v1/ConfigMap, namespace: ${elsewhere}, name: root, uid: ${uid}] does not exist in namespace "${elsewhere}"`,
          ],
        ],
      );
    });

    it('takes up resources that come later, and what they leave when they go', async () => {
      const { installer } = host.server.running.server;
      const definition = cronTabs();
      const resource = tokenOf(definition);
      const { group, resource: plural, kind } = resource;
      const schema = { openAPIV3Schema: { type: 'object' } };
      const described = {
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          names: { plural, singular: 'crontab', kind },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
        status: {},
      } as unknown as CustomResourceDefinition;
      await start();
      await installer.add(definition);
      await host.client.create(customResourceDefinitions, described);
      try {
        const tab = (name: string, owners: OwnerReference[] = []): Promise<ApiObject> =>
          host.client.create(resource, { metadata: { name, namespace, ownerReferences: owners } });
        const top = await tab('top');
        await tab('below', [ownedBy(resource, top)]);
        await configMap('of-below', [ownedBy(resource, (await find(resource, 'below'))!)]);
        await host.client.delete(resource, { namespace, name: 'top' });
        await gone(configMaps, 'of-below');
      } finally {
        await installer.remove(definition);
        await host.client.delete(customResourceDefinitions, { name: described.metadata.name! });
      }
      // Until the collector learns that the resource is gone it may still list it.
      const others = host.errors.splice(0).filter((error) => !/could not find the requested resource/.test(error));
      host.errors.push(...others);
    });
  },
};
