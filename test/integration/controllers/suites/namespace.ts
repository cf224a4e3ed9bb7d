import assert from 'node:assert/strict';
import { deployments } from '../../../../pkg/api/apps/tokens.ts';
import { configMaps, namespaces, pods, secrets } from '../../../../pkg/api/core/tokens.ts';
import type { Resource } from '../../../../pkg/api/resource.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import { metadataOf } from '../../../../pkg/client/rest/partial-metadata.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { namespaceController } from '../../../../pkg/controllers/namespace/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = { workers: { namespace: 5 }, namespace: { resyncMs: 300_000 } } as ControllersConfig;
const HOLD = 'example.org/hold';

export const namespace: ControllerSuite = {
  name: 'namespace',
  define(host) {
    const configMap = (where: string, name: string, finalizers: string[] = []): Promise<unknown> =>
      host.client.create(configMaps, { metadata: { name, namespace: where, finalizers }, data: {} });
    const pod = (where: string, name: string, finalizers: string[] = []): Promise<unknown> =>
      host.client.create(pods, {
        metadata: { name, namespace: where, finalizers },
        spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }], automountServiceAccountToken: false },
        status: {},
      });
    /** It is served by two groups, and counts once. */
    const deployment = (where: string, name: string, finalizers: string[]): Promise<unknown> => {
      const labels = { app: name };
      const containers = [{ name: 'main', image: 'app:1', resources: {} }];
      return host.client.create(deployments, {
        metadata: { name, namespace: where, finalizers },
        spec: {
          selector: { matchLabels: labels },
          strategy: {},
          template: { metadata: { labels }, spec: { containers } },
        },
        status: {},
      });
    };
    const isThere = async (resource: Resource, name: string, where?: string): Promise<boolean> => {
      const key = where === undefined ? { name } : { namespace: where, name };
      return (await unlessNotFound(host.client.get(metadataOf(resource), key))) !== undefined;
    };
    const conditions = async (name: string): Promise<Record<string, string>> => {
      const { status } = await host.client.get(namespaces, { name });
      const held = (status.conditions ?? []).filter((condition) => condition.status === 'True');
      return Object.fromEntries(held.map(({ type, message = '' }) => [type, message]));
    };
    const release = (resource: Resource, where: string, name: string): Promise<unknown> =>
      host.client.patch(resource, { namespace: where, name }, 'merge', { metadata: { finalizers: null } });

    // Each waits for the same seconds: they are deleted together.
    it('deletes the content of namespaces, pods first, and says what is held', async () => {
      const [plain, held, withPod, own] = [
        await host.namespace(),
        await host.namespace(),
        await host.namespace(),
        await host.namespace(),
      ];
      await configMap(plain, 'free');
      await host.client.create(secrets, { metadata: { name: 'free', namespace: plain } });
      await pod(plain, 'free');
      await configMap(held, 'held', [HOLD]);
      await deployment(held, 'held', [HOLD]);
      await configMap(held, 'free');
      await pod(withPod, 'held', [HOLD]);
      await configMap(withPod, 'later');
      await host.client.patch(namespaces, { name: own }, 'merge', { metadata: { finalizers: ['example.org/own'] } });
      await host.start((context) => namespaceController.create(context, CONFIG)!);
      for (const name of [plain, held, withPod, own]) await host.client.delete(namespaces, { name });

      const remaining = {
        NamespaceContentRemaining:
          'Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 1 resource instances',
      };
      const finalizers = {
        NamespaceFinalizersRemaining: `Some content in the namespace has finalizers remaining: ${HOLD} in 2 resource instances`,
      };
      await until(async () => Object.keys(await conditions(held)).length === 2, 'conditions of what is held');
      assert.deepEqual(await conditions(held), { ...remaining, ...finalizers });
      assert.equal(await isThere(configMaps, 'free', held), false);
      await assert.rejects(configMap(held, 'late'), /because it is being terminated/);

      await until(async () => !(await isThere(pods, 'free', plain)), 'deletion of the pods');
      const deleted = async (): Promise<boolean> =>
        (await host.client.get(pods, { namespace: withPod, name: 'held' })).metadata.deletionTimestamp !== undefined;
      await until(deleted, 'deletion of the held pod');
      assert.ok(await isThere(configMaps, 'later', withPod), 'what the pod may use stays as long as it does');

      await release(configMaps, held, 'held');
      await release(deployments, held, 'held');
      await release(pods, withPod, 'held');
      for (const name of [plain, held, withPod])
        await until(async () => !(await isThere(namespaces, name)), `namespace ${name} is gone`);
      await until(
        async () => (await host.client.get(namespaces, { name: own })).spec.finalizers === undefined,
        'a namespace without content',
      );
      await host.client.patch(namespaces, { name: own }, 'merge', { metadata: { finalizers: null } });
      assert.equal(await isThere(namespaces, own), false);
    });
  },
};
