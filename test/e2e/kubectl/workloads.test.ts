import assert from 'node:assert/strict';
import { eachKubectl, type Bench } from './each-version.ts';
import { deployment, documents, podTemplate } from './manifests.ts';
import { described, lines, rows } from './printed.ts';

/** Plays the deployment controller: makes the replica set of one revision. Returns its name. */
async function makeRevision({ kubectl }: Bench, name: string, revision: number, cause?: string): Promise<string> {
  const owner = await kubectl.json`get deployment ${name}`;
  const hash = `hash${revision}`;
  const { template } = owner.spec;
  const annotations = {
    'deployment.kubernetes.io/revision': String(revision),
    ...(cause === undefined ? {} : { 'kubernetes.io/change-cause': cause }),
  };
  await kubectl.input({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      labels: { ...template.metadata.labels, 'pod-template-hash': hash },
      annotations,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name,
          uid: owner.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { ...owner.spec.selector.matchLabels, 'pod-template-hash': hash } },
      template: {
        ...template,
        metadata: { ...template.metadata, labels: { ...template.metadata.labels, 'pod-template-hash': hash } },
      },
    },
  }).ok`create -f -`;
  await kubectl.ok`annotate deployment ${name} deployment.kubernetes.io/revision=${revision} --overwrite`;
  return `${name}-${hash}`;
}

eachKubectl('workloads', (bench) => {
  before(async () => {
    const sets = {
      serviceName: 'sets',
      replicas: 2,
      selector: { matchLabels: { app: 'sets' } },
      template: podTemplate('sets'),
    };
    await bench().kubectl.input(
      documents(
        deployment('web'),
        deployment('rolled'),
        { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'sets' }, spec: sets },
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          metadata: { name: 'agent' },
          spec: { selector: { matchLabels: { app: 'agent' } }, template: podTemplate('agent') },
        },
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: { name: 'plain' },
          spec: { replicas: 1, selector: { matchLabels: { app: 'plain' } }, template: podTemplate('plain') },
        },
        {
          apiVersion: 'v1',
          kind: 'ReplicationController',
          metadata: { name: 'oldest' },
          spec: { replicas: 1, selector: { app: 'oldest' }, template: podTemplate('oldest') },
        },
      ),
    ).ok`create -f -`;
  });

  it('scales all that scale', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`scale deployment web --replicas=3`, 'deployment.apps/web scaled\n');
    assert.equal(
      await kubectl.ok`scale statefulset/sets rs/plain rc/oldest --replicas=4`,
      'statefulset.apps/sets scaled\nreplicaset.apps/plain scaled\nreplicationcontroller/oldest scaled\n',
    );
    assert.equal(
      await kubectl.ok`get deploy/web sts/sets rs/plain rc/oldest -o jsonpath={.items[*].spec.replicas}`,
      '3 4 4 4',
    );
    assert.match(await kubectl.ok`get deployment web`, /web +0\/3 /);
    assert.match(
      await kubectl.fails`scale daemonset agent --replicas=1`,
      /the server could not find the requested resource/,
    );
  });

  it('scales from the size that was expected only', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.ok`scale deployment web --current-replicas=3 --replicas=5`,
      'deployment.apps/web scaled\n',
    );
    assert.match(
      await kubectl.fails`scale deployment web --current-replicas=3 --replicas=6`,
      /Expected replicas to be 3, was 5/,
    );
    assert.match(
      await kubectl.fails`scale deployment web --resource-version=1 --replicas=6`,
      /Expected resource version to be 1, was \d+|the object has been modified/,
    );
    assert.match(
      await kubectl.ok`scale deployment web --replicas=6 --dry-run=server`,
      kubectl.minor < 32 ? /^deployment\.apps\/web scaled\n$/ : /^deployment\.apps\/web scaled \(server dry run\)\n$/,
    );
    assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '5');
    assert.match(
      await kubectl.fails`scale deployment web --replicas=-1`,
      /The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0/,
    );
  });

  it('sets images, variables, resources and selectors', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`set image deployment/web web=nginx:1.27`, 'deployment.apps/web image updated\n');
    assert.equal(
      await kubectl.ok`set image sts,ds *=nginx:1.26 --all`,
      'statefulset.apps/sets image updated\ndaemonset.apps/agent image updated\n',
    );
    assert.equal(await kubectl.ok`set env deployment/web LEVEL=debug EMPTY=`, 'deployment.apps/web env updated\n');
    assert.equal(await kubectl.ok`set env deployment/web EMPTY- --containers=web`, 'deployment.apps/web env updated\n');
    assert.equal(await kubectl.ok`set env deployment/web --list`, '# Deployment web, container web\nLEVEL=debug\n');
    assert.equal(
      await kubectl.ok`set resources deployment/web --limits=cpu=200m,memory=512Mi --requests=cpu=0.1`,
      'deployment.apps/web resource requirements updated\n',
    );
    assert.equal(
      await kubectl.ok`set serviceaccount deployment/web robot`,
      'deployment.apps/web serviceaccount updated\n',
    );
    const { spec } = (await kubectl.json`get deployment web`).spec.template;
    assert.deepEqual(
      [spec.containers[0].image, spec.serviceAccountName, spec.containers[0].resources],
      ['nginx:1.27', 'robot', { limits: { cpu: '200m', memory: '512Mi' }, requests: { cpu: '100m' } }],
    );
    await kubectl.ok`create service clusterip chosen --tcp=80`;
    assert.equal(
      await kubectl.ok`set selector service chosen ${'app=web,tier=front'}`,
      'service/chosen selector updated\n',
    );
    assert.deepEqual((await kubectl.json`get service chosen`).spec.selector, { app: 'web', tier: 'front' });
    await kubectl.ok`create rolebinding bound --clusterrole=view --user=a`;
    assert.equal(
      await kubectl.ok`set subject rolebinding bound --user=b --serviceaccount=workloads:robot`,
      'rolebinding.rbac.authorization.k8s.io/bound subjects updated\n',
    );
    assert.deepEqual(
      (await kubectl.json`get rolebinding bound`).subjects.map((s: { name: string }) => s.name),
      ['a', 'b', 'robot'],
    );
    assert.match(await kubectl.fails`set image deployment/web nobody=x`, /unable to find container named "nobody"/);
  });

  it('pauses, resumes and restarts', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`rollout pause deployment/web`, 'deployment.apps/web paused\n');
    assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.paused}`, 'true');
    assert.match(await kubectl.fails`rollout pause deployment/web`, /deployments\.apps "web" is already paused/);
    assert.match(await kubectl.fails`rollout restart deployment/web`, /can't restart paused deployment/);
    assert.equal(await kubectl.ok`rollout resume deployment/web`, 'deployment.apps/web resumed\n');
    for (const [kind, shown] of [
      ['deployment/web', 'deployment.apps/web'],
      ['daemonset/agent', 'daemonset.apps/agent'],
      ['statefulset/sets', 'statefulset.apps/sets'],
    ]) {
      assert.equal(await kubectl.ok`rollout restart ${kind}`, `${shown} restarted\n`);
      assert.match(
        (await kubectl.json`get ${kind}`).spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt'],
        /^\d{4}-\d\d-\d\dT/,
      );
    }
  });

  it('shows the history of a rollout and goes back in it', async () => {
    const { kubectl } = bench();
    await makeRevision(bench(), 'rolled', 1, 'first');
    await kubectl.ok`set image deployment/rolled web=nginx:2`;
    await makeRevision(bench(), 'rolled', 2);
    assert.deepEqual(lines(await kubectl.ok`rollout history deployment/rolled`), [
      'deployment.apps/rolled',
      'REVISION  CHANGE-CAUSE',
      '1         first',
      '2         <none>',
    ]);
    const detail = described(await kubectl.ok`rollout history deployment/rolled --revision=1`);
    assert.equal(detail[0], 'deployment.apps/rolled with revision #1');
    for (const line of [
      'pod-template-hash=hash1',
      'Annotations: kubernetes.io/change-cause: first',
      'Image: nginx:1.25',
      'Port: 80/TCP',
    ])
      assert.ok(detail.includes(line), detail.join('\n'));
    assert.equal(
      await kubectl.ok`rollout undo deployment/rolled --dry-run=server`,
      'deployment.apps/rolled rolled back (server dry run)\n',
    );
    assert.equal(await kubectl.ok`rollout undo deployment/rolled`, 'deployment.apps/rolled rolled back\n');
    assert.equal(
      await kubectl.ok`get deployment rolled -o jsonpath={.spec.template.spec.containers[0].image}`,
      'nginx:1.25',
    );
    assert.equal(
      await kubectl.ok`rollout undo deployment/rolled --to-revision=2`,
      'deployment.apps/rolled rolled back\n',
    );
    assert.equal(
      await kubectl.ok`get deployment rolled -o jsonpath={.spec.template.spec.containers[0].image}`,
      'nginx:2',
    );
    assert.match(
      await kubectl.fails`rollout undo deployment/rolled --to-revision=9`,
      /unable to find specified revision 9 in history/,
    );
  });

  it('shows the history of daemon sets', async () => {
    const { kubectl } = bench();
    const agent = await kubectl.json`get daemonset agent`;
    const { template } = agent.spec;
    await kubectl.input({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      revision: 1,
      data: { spec: { template: { ...template, $patch: 'replace' } } },
      metadata: {
        name: 'agent-1',
        labels: { app: 'agent' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: agent.metadata.uid, controller: true },
        ],
      },
    }).ok`create -f -`;
    assert.deepEqual(lines(await kubectl.ok`rollout history daemonset/agent`), [
      'daemonset.apps/agent',
      'REVISION  CHANGE-CAUSE',
      '1         <none>',
    ]);
    assert.deepEqual(rows(await kubectl.ok`get controllerrevisions agent-1`), [
      ['NAME', 'CONTROLLER', 'REVISION', 'AGE'],
      ['agent-1', 'daemonset.apps/agent', '1', 'AGE'],
    ]);
  });

  it('waits for a rollout', async () => {
    const { kubectl, api } = bench();
    const { generation } = (await kubectl.json`get deployment web`).metadata;
    assert.equal(
      await kubectl.ok`rollout status deployment/web --watch=false`,
      'Waiting for deployment spec update to be observed...\n',
    );
    const waiting = kubectl.start`rollout status deployment/web`;
    try {
      await waiting.until((text) => text.includes('Waiting for deployment'));
      const answer = await api.patch('/apis/apps/v1/namespaces/workloads/deployments/web/status', 'merge', {
        status: {
          observedGeneration: generation,
          replicas: 5,
          updatedReplicas: 5,
          readyReplicas: 5,
          availableReplicas: 5,
        },
      });
      assert.equal(answer.status, 200);
      await waiting.until((text) => text.includes('deployment "web" successfully rolled out'));
    } finally {
      await waiting.stop();
    }
    assert.deepEqual(rows(await kubectl.ok`get deployment web`)[1], ['web', '5/5', '5', '5', 'AGE']);
  });

  it('exposes workloads, pods and services', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.ok`expose deployment web --port=80 --target-port=8080 --name=web-inside`,
      'service/web-inside exposed\n',
    );
    const service = await kubectl.json`get service web-inside`;
    assert.deepEqual(
      [service.spec.selector, service.spec.ports, service.spec.type],
      [{ app: 'web' }, [{ port: 80, protocol: 'TCP', targetPort: 8080 }], 'ClusterIP'],
    );
    assert.equal(
      await kubectl.ok`expose rc oldest --port=53 --protocol=UDP --type=NodePort`,
      'service/oldest exposed\n',
    );
    assert.match(await kubectl.ok`get service oldest`, /oldest +NodePort +10\.0\.0\.\d+ +<none> +53:3\d{4}\/UDP/);
    assert.equal(
      await kubectl.ok`expose service web-inside --port=443 --name=web-again`,
      'service/web-again exposed\n',
    );
    assert.equal(
      await kubectl.ok`run exposed --image=nginx --port=80 --expose`,
      'service/exposed created\npod/exposed created\n',
    );
    assert.match(
      await kubectl.fails`expose deployment web --port=80 --name=web-inside`,
      /services "web-inside" already exists/,
    );
  });

  it('autoscales', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.ok`autoscale deployment web --min=2 --max=8 ${kubectl.minor < 35 ? '--cpu-percent=70' : '--cpu=70%'}`,
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    );
    assert.deepEqual(rows(await kubectl.ok`get hpa`), [
      ['NAME', 'REFERENCE', 'TARGETS', 'MINPODS', 'MAXPODS', 'REPLICAS', 'AGE'],
      ['web', 'Deployment/web', 'cpu: <unknown>/70%', '2', '8', '0', 'AGE'],
    ]);
    const [v1, v2] = await Promise.all(
      ['v1', 'v2'].map((version) => kubectl.json`get horizontalpodautoscalers.${version}.autoscaling web`),
    );
    assert.equal(v1.spec.targetCPUUtilizationPercentage, 70);
    assert.deepEqual(v2.spec.metrics, [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
    ]);
    assert.match(
      await kubectl.fails`autoscale deployment web --min=3 --max=2 --name=upside-down`,
      /--max=MAXPODS must be larger or equal to --min=MINPODS/,
    );
  });
});
