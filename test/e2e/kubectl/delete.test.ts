import assert from 'node:assert/strict';
import { eachKubectl, type Bench } from './each-version.ts';
import { configMap, documents, list, pod, podTemplate } from './manifests.ts';
import { lines } from './printed.ts';

/** A replica set with a pod that it owns, as its controller would have made it. */
async function owned({ kubectl }: Bench, name: string): Promise<void> {
  await kubectl.input({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, labels: { family: name } },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  }).ok`create -f -`;
  const { uid } = (await kubectl.json`get rs ${name}`).metadata;
  const child = pod(`${name}-1`, { app: name }) as { metadata: object };
  await kubectl.input({
    ...child,
    metadata: {
      ...child.metadata,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
  }).ok`create -f -`;
}

eachKubectl('delete', (bench) => {
  const make = (...objects: object[]): Promise<string> => bench().kubectl.input(documents(...objects)).ok`create -f -`;

  it('deletes by name, file, kind and label', async () => {
    const { kubectl } = bench();
    await make(
      configMap('a'),
      configMap('b'),
      configMap('c', {}, { set: 'one' }),
      configMap('d', {}, { set: 'one' }),
      configMap('e'),
      pod('f'),
    );
    assert.equal(
      await kubectl.ok`delete configmap a b`,
      `configmap "a" deleted${place(bench())}\nconfigmap "b" deleted${place(bench())}\n`,
    );
    assert.equal(
      await kubectl.ok`delete configmaps -l set=one`,
      `configmap "c" deleted${place(bench())}\nconfigmap "d" deleted${place(bench())}\n`,
    );
    assert.equal(
      await kubectl.input(list(configMap('e'), pod('f'))).ok`delete -f - --grace-period=1`,
      `configmap "e" deleted${place(bench())}\npod "f" deleted${place(bench())}\n`,
    );
    assert.equal(await kubectl.fails`delete configmap a`, 'Error from server (NotFound): configmaps "a" not found\n');
    assert.equal(await kubectl.ok`delete configmap a --ignore-not-found`, '');
    assert.equal(await kubectl.ok`get configmaps,pods -o name`, '');
  });

  it('deletes all of a kind in the namespace', async () => {
    const { kubectl } = bench();
    await kubectl.ok`create namespace delete-other`;
    await kubectl.inNamespace('delete-other').ok`create secret generic stays`;
    await make(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'y' } },
      configMap('x'),
    );
    assert.deepEqual(
      lines(await kubectl.ok`delete secrets,configmaps --all`),
      ['secret "x"', 'secret "y"', 'configmap "x"'].map((name) => `${name} deleted${place(bench())}`),
    );
    assert.equal(await kubectl.inNamespace('delete-other').ok`get secrets -o name`, 'secret/stays\n');
    await make(configMap('raw'));
    const answer = JSON.parse(await kubectl.ok`delete --raw /api/v1/namespaces/delete/configmaps/raw`);
    assert.deepEqual([answer.kind, answer.status, answer.details.name], ['Status', 'Success', 'raw']);
  });

  it('tries without deleting', async () => {
    const { kubectl } = bench();
    await make(configMap('tried'));
    assert.equal(
      await kubectl.ok`delete configmap tried --dry-run=server`,
      `configmap "tried" deleted${place(bench())} (server dry run)\n`,
    );
    assert.equal(await kubectl.ok`delete configmap tried -o name --dry-run=client`, 'configmap/tried\n');
    assert.equal(await kubectl.ok`get configmap tried -o name`, 'configmap/tried\n');
  });

  it('cascades in the background, in the foreground, or not at all', async () => {
    const { kubectl } = bench();
    await Promise.all(['behind', 'before', 'orphaned'].map((name) => owned(bench(), name)));
    // Dependents are the garbage collector's: what the server does is to delete or to mark the owner.
    assert.match(await kubectl.ok`delete rs behind --cascade=background`, /^replicaset\.apps "behind" deleted/);
    assert.equal(await kubectl.ok`get rs behind --ignore-not-found`, '');
    assert.match(
      await kubectl.ok`delete rs before --cascade=foreground --wait=false`,
      /^replicaset\.apps "before" deleted/,
    );
    const before = (await kubectl.json`get rs before`).metadata;
    assert.deepEqual(before.finalizers, ['foregroundDeletion']);
    assert.match(before.deletionTimestamp, /^\d{4}-/);
    assert.equal(before.deletionGracePeriodSeconds, 0);
    assert.match(
      await kubectl.ok`delete rs orphaned --cascade=orphan --wait=false`,
      /^replicaset\.apps "orphaned" deleted/,
    );
    assert.deepEqual((await kubectl.json`get rs orphaned`).metadata.finalizers, ['orphan']);
    // What the garbage collector does last: it takes the finalizer away.
    await kubectl.ok`patch rs orphaned --type=merge -p ${'{"metadata":{"finalizers":null}}'}`;
    assert.equal(await kubectl.ok`get rs orphaned --ignore-not-found`, '');
    assert.equal(await kubectl.ok`get pods -o name`, 'pod/before-1\npod/behind-1\npod/orphaned-1\n');
  });

  it('lets pods end in their time, soon, or at once', async () => {
    const { kubectl } = bench();
    await make(
      pod('slow', {}, { nodeName: 'delete-node' }),
      pod('now', {}, { nodeName: 'delete-node' }),
      pod('forced', {}, { nodeName: 'delete-node' }),
      pod('unscheduled'),
    );
    await kubectl.ok`delete pod slow --wait=false`;
    assert.equal((await kubectl.json`get pod slow`).metadata.deletionGracePeriodSeconds, 30);
    await kubectl.ok`delete pod slow --wait=false --grace-period=5`;
    assert.equal((await kubectl.json`get pod slow`).metadata.deletionGracePeriodSeconds, 5);
    await kubectl.ok`delete pod now --wait=false --now`;
    assert.equal((await kubectl.json`get pod now`).metadata.deletionGracePeriodSeconds, 1);
    const { stdout, stderr } = await kubectl.run`delete pod forced slow now --grace-period=0 --force`;
    assert.match(
      stderr,
      /^[Ww]arning: Immediate deletion does not wait for confirmation that the running resource has been terminated/,
    );
    assert.match(stdout, /^pod "forced" force deleted/);
    // No node agent has to confirm the end of a pod that never got a node.
    await kubectl.ok`delete pod unscheduled`;
    assert.equal(await kubectl.ok`get pods forced slow now unscheduled --ignore-not-found`, '');
  });

  it('waits for finalizers', async () => {
    const { kubectl } = bench();
    const held = configMap('held') as { metadata: object };
    await make({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
    const deleting = kubectl.start`delete configmap held`;
    try {
      await deleting.until((text) => text.includes('configmap "held" deleted'));
      assert.match((await kubectl.json`get configmap held`).metadata.deletionTimestamp, /^\d{4}-/);
      assert.match(
        await kubectl.fails`delete configmap held --timeout=1s`,
        /timed out waiting for the condition on configmaps\/held/,
      );
      await kubectl.ok`patch configmap held --type=json -p ${'[{"op":"remove","path":"/metadata/finalizers"}]'}`;
      assert.equal(await deleting.end(), 0);
    } finally {
      await deleting.stop();
    }
    assert.equal(await kubectl.ok`get configmap held --ignore-not-found`, '');
  });

  it('marks a namespace, which refuses what is new from then on', async () => {
    const { kubectl } = bench();
    await kubectl.ok`create namespace delete-ending`;
    assert.equal(await kubectl.ok`delete namespace delete-ending --wait=false`, 'namespace "delete-ending" deleted\n');
    assert.match(await kubectl.ok`get namespace delete-ending`, /delete-ending +Terminating/);
    assert.match(
      await kubectl.inNamespace('delete-ending').fails`create configmap late`,
      /configmaps "late" is forbidden: unable to create new content in namespace delete-ending because it is being terminated/,
    );
    assert.match(
      await kubectl.fails`delete namespace kube-system`,
      /(^|\n)Error from server \(Forbidden\): namespaces "kube-system" is forbidden: this namespace may not be deleted\n$/,
    );
  });
});

/** Newer versions say from where. */
function place({ kubectl }: Bench): string {
  return kubectl.minor < 34 ? '' : ` from ${kubectl.namespace} namespace`;
}
