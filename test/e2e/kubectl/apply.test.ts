import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, list } from './manifests.ts';
import { lines } from './printed.ts';

eachKubectl('apply', (bench) => {
  const apply = (object: object | string): Promise<string> => bench().kubectl.input(object).ok`apply -f -`;

  it('creates, leaves alone, and changes', async () => {
    const { kubectl } = bench();
    assert.equal(await apply(deployment('web')), 'deployment.apps/web created\n');
    const created = await kubectl.json`get deployment web`;
    assert.equal(await apply(deployment('web')), 'deployment.apps/web unchanged\n');
    assert.equal((await kubectl.json`get deployment web`).metadata.resourceVersion, created.metadata.resourceVersion);
    assert.equal(await apply(deployment('web', 'nginx:1.27', 3)), 'deployment.apps/web configured\n');
    const changed = await kubectl.json`get deployment web`;
    assert.equal(changed.spec.template.spec.containers[0].image, 'nginx:1.27');
    assert.equal(changed.spec.replicas, 3);
    assert.equal(changed.metadata.generation, 2);
  });

  it('removes what the last manifest had and this one does not, and keeps what others wrote', async () => {
    const { kubectl } = bench();
    const container = (fields: object): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'merged',
        labels: fields === first ? { a: '1', b: '2' } : { a: '1' },
        annotations: { mine: 'x' },
      },
      spec: { containers: [{ name: 'main', image: 'busybox', ...fields }] },
    });
    const first = { image: 'busybox:1' };
    await apply(container(first));
    await kubectl.ok`label pod merged theirs=kept`;
    await kubectl.ok`annotate pod merged note=kept`;
    assert.equal(await apply(container({ image: 'busybox:2' })), 'pod/merged configured\n');
    const merged = await kubectl.json`get pod merged`;
    assert.deepEqual(merged.metadata.labels, { a: '1', theirs: 'kept' });
    assert.equal(merged.metadata.annotations.note, 'kept');
    assert.equal(merged.spec.containers[0].image, 'busybox:2');
  });

  it('merges lists by their keys', async () => {
    const { kubectl } = bench();
    const withEnv = (names: readonly string[], ports: readonly number[]): object => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'keyed' },
      spec: {
        selector: { matchLabels: { app: 'keyed' } },
        template: {
          metadata: { labels: { app: 'keyed' } },
          spec: {
            containers: [
              {
                name: 'main',
                image: 'busybox',
                env: names.map((name) => ({ name, value: '1' })),
                ports: ports.map((containerPort) => ({ containerPort })),
              },
            ],
          },
        },
      },
    });
    await apply(withEnv(['A', 'B', 'C'], [80, 81]));
    await kubectl.ok`set env deployment/keyed THEIRS=2`;
    assert.equal(await apply(withEnv(['C', 'A'], [81, 82])), 'deployment.apps/keyed configured\n');
    const { env, ports } = (await kubectl.json`get deployment keyed`).spec.template.spec.containers[0];
    assert.deepEqual(
      env.map((e: { name: string }) => e.name),
      ['C', 'A', 'THEIRS'],
    );
    assert.deepEqual(
      ports.map((p: { containerPort: number }) => p.containerPort),
      [81, 82],
    );
  });

  it('removes a whole field', async () => {
    const { kubectl } = bench();
    const service = (spec: object): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shrinking' },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    await apply(service({ selector: { app: 'a' }, sessionAffinity: 'ClientIP', externalIPs: ['192.0.2.1'] }));
    const { clusterIP } = (await kubectl.json`get service shrinking`).spec;
    await apply(service({ selector: { app: 'b' } }));
    const { spec } = await kubectl.json`get service shrinking`;
    assert.deepEqual(
      [spec.selector, spec.sessionAffinity, spec.externalIPs, spec.clusterIP],
      [{ app: 'b' }, 'None', undefined, clusterIP],
    );
  });

  it('takes several documents and a List', async () => {
    assert.equal(
      await apply(documents(configMap('one'), configMap('two'), deployment('three'))),
      'configmap/one created\nconfigmap/two created\ndeployment.apps/three created\n',
    );
    assert.equal(
      await apply(list(configMap('one', { a: '1' }), configMap('two'), configMap('four'))),
      'configmap/one configured\nconfigmap/two unchanged\nconfigmap/four created\n',
    );
  });

  it('remembers what was applied', async () => {
    const { kubectl } = bench();
    await apply(configMap('remembered', { a: '1' }));
    assert.deepEqual(JSON.parse(await kubectl.ok`apply view-last-applied configmap remembered -o json`), {
      ...configMap('remembered', { a: '1' }),
      metadata: { annotations: {}, name: 'remembered', namespace: 'apply' },
    });
    await kubectl.ok`create configmap plain --from-literal=a=1`;
    assert.equal(await kubectl.ok`apply view-last-applied configmap plain`, '');
    assert.equal(
      await kubectl.input(configMap('plain', { a: '1' })).ok`apply set-last-applied -f - --create-annotation`,
      'configmap/plain configured\n',
    );
    const warned = await kubectl.input(configMap('plain', { a: '2' })).run`apply -f -`;
    assert.deepEqual([warned.stdout, warned.stderr], ['configmap/plain configured\n', '']);
    await kubectl.ok`create configmap foreign --from-literal=a=1`;
    const missing = await kubectl.input(configMap('foreign', { a: '2' })).run`apply -f -`;
    assert.match(
      missing.stderr,
      /^Warning: resource configmaps\/foreign is missing the kubectl\.kubernetes\.io\/last-applied-configuration annotation/,
    );
    assert.equal(missing.stdout, 'configmap/foreign configured\n');
  });

  it('tells the server to try it, or does not tell it', async () => {
    const { kubectl } = bench();
    await apply(configMap('tried', { a: '1' }));
    assert.equal(
      await kubectl.input(configMap('tried', { a: '2' })).ok`apply -f - --dry-run=server`,
      'configmap/tried configured (server dry run)\n',
    );
    assert.equal(
      await kubectl.input(configMap('tried', { a: '2' })).ok`apply -f - --dry-run=client`,
      'configmap/tried configured (dry run)\n',
    );
    assert.equal(
      await kubectl.input(configMap('untried')).ok`apply -f - --dry-run=server`,
      'configmap/untried created (server dry run)\n',
    );
    const shown = JSON.parse(await kubectl.input(deployment('untried')).ok`apply -f - --dry-run=server -o json`);
    assert.deepEqual(shown.spec.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
    });
    assert.deepEqual(
      lines(await kubectl.ok`get configmaps tried untried -o jsonpath={.items[*].data} --ignore-not-found`),
      ['{"a":"1"}'],
    );
    assert.match(
      await kubectl.input({
        ...deployment('web'),
        spec: { ...(deployment('web') as { spec: object }).spec, selector: { matchLabels: { app: 'other' } } },
      }).fails`apply -f - --dry-run=server`,
      /spec\.selector: Invalid value: .*: field is immutable/,
    );
  });

  it('prunes what is no longer in the set', async () => {
    const { kubectl } = bench();
    const labels = { set: 'pruned' };
    await apply(
      documents(configMap('stays', undefined, labels), configMap('goes', undefined, labels), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'goes', labels },
      }),
    );
    await kubectl.ok`create configmap unmarked`;
    await kubectl.ok`label configmap unmarked set=pruned`;
    const tried = await kubectl.input(configMap('stays', undefined, labels))
      .ok`apply -f - --prune -l set=pruned --dry-run=server`;
    assert.deepEqual(lines(tried).toSorted(), [
      'configmap/goes pruned (server dry run)',
      'configmap/stays unchanged (server dry run)',
      'secret/goes pruned (server dry run)',
    ]);
    assert.deepEqual(
      lines(await kubectl.input(configMap('stays', undefined, labels)).ok`apply -f - --prune -l set=pruned`).toSorted(),
      ['configmap/goes pruned', 'configmap/stays unchanged', 'secret/goes pruned'],
    );
    assert.deepEqual(lines(await kubectl.ok`get configmaps,secrets -l set=pruned -o name`), [
      'configmap/stays',
      'configmap/unmarked',
    ]);
  });

  it('replaces what may not change when forced', async () => {
    const { kubectl } = bench();
    await apply(deployment('renewed'));
    const { uid } = (await kubectl.json`get deployment renewed`).metadata;
    const changed = {
      ...deployment('renewed'),
      spec: {
        selector: { matchLabels: { v: '2' } },
        template: { metadata: { labels: { v: '2' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    };
    assert.match(await kubectl.input(changed).fails`apply -f -`, /field is immutable/);
    assert.match(await kubectl.input(changed).ok`apply -f - --force`, /deployment\.apps\/renewed configured/);
    assert.notEqual((await kubectl.json`get deployment renewed`).metadata.uid, uid);
  });

  it('warns of versions that are going away', async () => {
    const { stdout, stderr } = await bench().kubectl.input({
      apiVersion: 'batch/v1beta1',
      kind: 'CronJob',
      metadata: { name: 'old' },
      spec: {
        schedule: '0 1 * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
        },
      },
    }).run`apply -f -`;
    assert.equal(stdout, 'cronjob.batch/old created\n');
    assert.match(
      stderr,
      /^Warning: batch\/v1beta1 CronJob is deprecated in v1\.21\+, unavailable in v1\.25\+; use batch\/v1 CronJob\n/,
    );
  });
});
