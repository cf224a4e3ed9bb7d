import assert from 'node:assert/strict';
import { configMaps, pods } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { DiscoveredResource } from '../../client/discovery/discovered-resource.ts';
import type { Namespace } from '../../generated/types/core-v1.ts';
import { reconcile, type NamespaceSteps } from './reconcile.ts';

const NOW = '2026-01-01T00:01:00Z';

describe('reconcile of a deleted namespace', () => {
  const run = async (
    left: Readonly<Record<string, ObjectMeta[]>>,
    { ageSeconds = 10, failures = {} }: { ageSeconds?: number; failures?: Record<string, unknown> } = {},
  ): Promise<{ namespace: Namespace; deleted: string[]; again: number | undefined; error: string }> => {
    let namespace: Namespace = {
      metadata: { name: 'ns', deletionTimestamp: NOW },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    };
    const deleted: string[] = [];
    const found = (resource: Resource): DiscoveredResource => ({
      resource,
      verbs: ['delete', 'deletecollection', 'list'],
      singular: '',
      shortNames: [],
      categories: [],
      subresources: [],
      isPreferred: true,
      isMoved: resource.group === 'extensions',
    });
    const steps: NamespaceSteps = {
      namespace: 'ns',
      discover: () =>
        Promise.resolve({ resources: [configMaps, pods].map(found), failures: new Map(Object.entries(failures)) }),
      deleteAll: (resource) => Promise.resolve(void deleted.push(resource.resource)),
      remaining: ({ resource }) => Promise.resolve(left[resource] ?? []),
      listPods: () => Promise.resolve([]),
      read: () => Promise.resolve(namespace),
      writeStatus: (next) => Promise.resolve((namespace = next)),
      finalize: (next) => Promise.resolve(void (namespace = next)),
      ageSeconds: () => ageSeconds,
      now: () => NOW,
    };
    let error = '';
    const again = await reconcile(steps).catch((failure: Error) => void (error = failure.message));
    return { namespace, deleted, again: again ?? undefined, error };
  };
  const conditions = ({ status }: Namespace): string[] =>
    (status.conditions ?? []).filter((one) => one.status === 'True').map((one) => `${one.type}: ${one.message}`);

  it('deletes pods first, then the rest, and finalizes it when nothing is left', async () => {
    const { namespace, deleted } = await run({});
    assert.deepEqual(deleted, ['pods', 'configmaps']);
    assert.deepEqual(namespace.spec.finalizers, []);
    assert.equal(namespace.status.conditions?.length, 5);
    assert.deepEqual(conditions(namespace), []);
  });

  it('keeps an empty namespace for a moment, in which other servers may still admit objects', async () => {
    const { namespace, again } = await run({}, { ageSeconds: 1 });
    assert.deepEqual([namespace.spec.finalizers, again], [['kubernetes'], 4000]);
  });

  it('leaves the rest while pods wait for a finalizer, which no condition says', async () => {
    const { namespace, deleted, again } = await run({ pods: [{ finalizers: ['example.org/hold'] }] });
    assert.deepEqual([deleted, again], [['pods'], 5000]);
    assert.deepEqual(conditions(namespace), []);
    assert.deepEqual([namespace.spec.finalizers, namespace.status.conditions?.length], [['kubernetes'], 5]);
  });

  it('says what remains besides pods', async () => {
    const { namespace, again } = await run({ configmaps: [{ finalizers: ['example.org/hold'] }] });
    assert.equal(again, 5000);
    assert.deepEqual(conditions(namespace), [
      'NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances',
      'NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.org/hold in 1 resource instances',
    ]);
  });

  it('names resources whose objects stay without a finalizer', async () => {
    const { namespace, error } = await run({ configmaps: [{}] });
    const text = 'unexpected items still remain in namespace: ns for gvr: /v1, Resource=configmaps';
    assert.deepEqual(conditions(namespace), [
      `NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: ${text}`,
      'NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances',
    ]);
    assert.deepEqual([error, namespace.spec.finalizers], [text, ['kubernetes']]);
  });

  it('deletes what it can while one group does not answer, and stays', async () => {
    const { namespace, deleted, error } = await run({}, { failures: { 'broken.example.org/v1': new Error('away') } });
    const text =
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: broken.example.org/v1: away';
    assert.deepEqual(deleted, ['pods', 'configmaps']);
    assert.deepEqual(conditions(namespace), [`NamespaceDeletionDiscoveryFailure: ${text}`]);
    assert.deepEqual([namespace.spec.finalizers, error], [['kubernetes'], text]);
  });
});
