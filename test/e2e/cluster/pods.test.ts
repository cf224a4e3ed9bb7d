import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubectlVersions, type Kubectl } from '../kubectl/kubectl.ts';
import { described, lines, rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

const CRASHING = 'echo one; sleep 1; echo two; exit 1';

/** Cells of a table of quantities, of which some look like ages. */
const cells = (output: string): string[][] => lines(output).map((line) => line.split(/ {2,}/));

describe('pods in a cluster', function () {
  this.timeout(120_000);
  const cluster = movingCluster();
  let kubectl: Kubectl;

  before(async () => {
    kubectl = await cluster().inNew('pods');
  });

  it('runs a pod, commands in it, and removes it', async () => {
    await kubectl.ok`run shell --image=busybox --command -- sleep 3600`;
    await kubectl.ok`wait --for=condition=Ready pod/shell --timeout=30s`;
    assert.match(await kubectl.ok`get pod shell -o wide`, /shell +1\/1 +Running +0 +\S+ +10\.244\.\d\.\d+ +node-\d /);
    assert.equal(await kubectl.ok`exec shell -- echo hello there`, 'hello there\n');
    assert.equal(await kubectl.ok`exec shell -- ls /`, 'simulated: ls /\n');
    assert.deepEqual(await kubectl.run`exec shell -- sh -c ${'echo no; exit 4'}`, {
      status: 4,
      stdout: 'no\n',
      stderr: 'command terminated with exit code 4\n',
    });
    assert.match(await kubectl.ok`attach shell`, /simulated: container shell runs busybox\n/);
    assert.match(await kubectl.ok`run once --image=busybox --restart=Never --rm -i -- echo hello`, /^hello\n/);
    const file = join(cluster().home, 'hosts');
    assert.match(await kubectl.fails`cp shell:/etc/hosts ${file}`, /exit code 127/);
    writeFileSync(file, 'hosts');
    assert.match(await kubectl.fails`cp ${file} shell:/etc/hosts`, /exit code 127/);
    const gone = kubectl.ok`wait --for=delete pod/shell --timeout=60s`;
    await kubectl.ok`delete pod shell`;
    await gone;
    assert.match(await kubectl.fails`get pod shell`, /pods "shell" not found/);
  });

  /** Calls with the URL of a port of this machine while it is forwarded. */
  async function forwarding(by: Kubectl, target: string, port: number, use: (url: string) => Promise<void>) {
    const forward = by.start`port-forward ${target} :${port} --address=127.0.0.1`;
    try {
      const [, local] = /127\.0\.0\.1:(\d+) -> 80/.exec(await forward.until((text) => text.includes('->')))!;
      await use(`http://127.0.0.1:${local}/`);
    } finally {
      await forward.stop();
    }
  }

  for (const version of kubectlVersions)
    it(`forwards a port to a pod by kubectl ${version}`, async () => {
      const name = `ported-${version.replace('.', '-')}`;
      const own = cluster().kubectl('pods', version);
      await own.ok`run ${name} --image=nginx`;
      await own.ok`wait --for=condition=Ready pod/${name} --timeout=30s`;
      await forwarding(own, `pod/${name}`, 80, async (url) => {
        for (let i = 0; i < 3; i++)
          assert.equal(await (await fetch(url)).text(), `simulated: pod pods/${name}, port 80\n`);
      });
    });

  it('forwards ports to services and deployments', async () => {
    await kubectl.ok`create deployment ported --image=nginx --port=80`;
    await kubectl.ok`expose deployment ported --port=8080 --target-port=80`;
    await kubectl.ok`rollout status deployment/ported --timeout=60s`;
    for (const [target, port] of [
      ['deployment/ported', 80],
      ['service/ported', 8080],
    ] as const)
      await forwarding(kubectl, target, port, async (url) => {
        const answer = await fetch(url);
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /simulated/);
      });
    await kubectl.ok`delete service/ported deployment/ported`;
  });

  it('shows what happens to a pod while it is watched', async () => {
    const watching = kubectl.start`get pods --watch --field-selector=metadata.name=watched`;
    try {
      await kubectl.input({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'watched' },
        spec: {
          restartPolicy: 'Never',
          initContainers: [{ name: 'prepare', image: 'i', command: ['sleep', '1'] }],
          containers: [{ name: 'main', image: 'i', command: ['sh', '-c', 'sleep 1; exit 3'] }],
        },
      }).ok`create -f -`;
      const shown = await watching.until((text) => text.includes('Error'));
      const states = rows(shown)
        .slice(1)
        .map(([, ready, status]) => `${ready} ${status}`);
      assert.deepEqual(
        states.filter((state, i) => state !== states[i - 1]),
        ['0/1 Pending', '0/1 Init:0/1', '1/1 Running', '0/1 Error'],
      );
    } finally {
      await watching.stop();
    }
  });

  it('shows logs of containers that run, wait and have failed', async () => {
    const container = (name: string, script: string, more: object = {}): object => ({
      name,
      image: 'busybox',
      command: ['sh', '-c', script],
      ...more,
    });
    await kubectl.input({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'loud', labels: { app: 'loud' } },
      spec: {
        initContainers: [container('prepare', 'echo prepared')],
        containers: [container('a', CRASHING), container('b', 'echo begun; sleep 2; echo done; sleep infinity')],
      },
    }).ok`create -f -`;
    await kubectl.ok`wait --for=${'jsonpath={.status.phase}=Running'} pod/loud --timeout=30s`;
    const following = kubectl.start`logs --follow loud -c b`;
    try {
      await following.until((text) => text === 'begun\ndone\n');
    } finally {
      await following.stop();
    }
    await eventually(
      async () => (await kubectl.ok`get pod loud`).includes('CrashLoopBackOff'),
      'a container in a crash loop',
    );
    assert.equal(await kubectl.ok`logs loud -c b --tail=1`, 'done\n');
    assert.equal(await kubectl.ok`logs loud -c prepare`, 'prepared\n');
    assert.equal(await kubectl.ok`logs loud -c a --previous`, 'one\ntwo\n');
    assert.match(await kubectl.fails`logs loud -c b --previous`, /previous terminated container .*not found/);
    assert.match((await kubectl.run`logs loud`).stderr, /^Defaulted container "a" out of: a, b, prepare \(init\)/);
    assert.match(await kubectl.ok`logs loud -c b --timestamps --tail=1`, /^\d{4}-\d\d-\d\dT\S+Z done\n$/);
    assert.deepEqual(lines(await kubectl.ok`logs --selector=app=loud --all-containers --prefix`).sort(), [
      '[pod/loud/a] one',
      '[pod/loud/a] two',
      '[pod/loud/b] begun',
      '[pod/loud/b] done',
      '[pod/loud/prepare] prepared',
    ]);
    const shown = described(await kubectl.ok`describe pod loud`);
    for (const line of ['Reason: CrashLoopBackOff', 'Last State: Terminated', 'Exit Code: 1', 'Status: Running'])
      assert.ok(shown.includes(line), shown.join('\n'));
    assert.match(shown.at(-1)!, /^Normal Scheduled \S+ default-scheduler Successfully assigned pods\/loud to node-\d$/);
  });

  it('adds containers for debugging to pods and nodes', async () => {
    await kubectl.ok`run sick --image=app -- run`;
    await kubectl.ok`wait --for=condition=Ready pod/sick --timeout=30s`;
    assert.match(await kubectl.ok`debug sick --image=busybox -c look -i --profile=general -- echo found`, /found\n$/);
    assert.match(
      await kubectl.ok`describe pod sick`,
      /Ephemeral Containers:\n +look:[\s\S]*Terminated\n +Reason: +Completed/,
    );
    await kubectl.ok`debug sick --image=busybox --copy-to=copy --set-image=*=app:2 --profile=general -- sleep 1d`;
    await kubectl.ok`wait --for=condition=Ready pod/copy --timeout=30s`;
    const created = await kubectl.ok`debug node/node-1 --image=busybox --profile=general -- true`;
    const [, name] = /debugging pod (\S+) with container debugger on node node-1/.exec(created)!;
    await kubectl.ok`wait --for=jsonpath={.status.phase}=Succeeded pod/${name} --timeout=30s`;
    assert.equal(await kubectl.ok`get pod ${name} -o jsonpath={.spec.nodeName}`, 'node-1');
  });

  it('shows what pods and nodes use', async () => {
    await kubectl.input({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'hungry',
        labels: { app: 'hungry' },
        annotations: {
          'simulation.binnacle.io/cpu-usage.a': '250m',
          'simulation.binnacle.io/memory-usage.a': '300Mi',
        },
      },
      spec: {
        containers: [
          { name: 'a', image: 'app' },
          { name: 'b', image: 'app', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
        ],
      },
    }).ok`create -f -`;
    await kubectl.ok`wait --for=condition=Ready pod/hungry --timeout=30s`;
    assert.deepEqual(cells(await kubectl.ok`top pod hungry`)[1], ['hungry', '300m', '332Mi']);
    assert.deepEqual(cells(await kubectl.ok`top pods --containers --selector=app=hungry --no-headers`), [
      ['hungry', 'a', '250m', '300Mi'],
      ['hungry', 'b', '50m', '32Mi'],
    ]);
    const [head, ...nodes] = cells(await kubectl.ok`top nodes`);
    assert.deepEqual(head!.slice(0, 2), ['NAME', 'CPU(cores)']);
    assert.deepEqual(
      nodes.map(([name]) => name),
      ['node-1', 'node-2', 'node-3'],
    );
  });

  it('lets endpoints follow the pods of a service', async () => {
    const addresses = (): Promise<string> =>
      kubectl.ok`get endpointslices --selector=kubernetes.io/service-name=front -o jsonpath={.items[*].endpoints[*].addresses[0]}`;
    const count = async (): Promise<number> => (await addresses()).split(' ').filter((word) => word !== '').length;
    await kubectl.ok`create deployment front --image=nginx --replicas=2 --port=80`;
    await kubectl.ok`expose deployment front --port=8080 --target-port=80`;
    await eventually(async () => (await count()) === 2, 'two endpoints');
    const ips = (await kubectl.ok`get pods --selector=app=front -o jsonpath={.items[*].status.podIP}`)
      .split(' ')
      .sort();
    assert.deepEqual((await addresses()).split(' ').sort(), ips);
    assert.match(await kubectl.ok`get endpoints front`, new RegExp(`^front +(${ips[0]}|${ips[1]}):80,\\S+:80 `, 'm'));
    assert.match(await kubectl.ok`describe service front`, /Endpoints: +10\.244\.\S+:80,10\.244\.\S+:80\n/);
    await kubectl.ok`scale deployment front --replicas=4`;
    await eventually(async () => (await count()) === 4, 'four endpoints');
    await kubectl.ok`scale deployment front --replicas=0`;
    await eventually(async () => (await count()) === 0, 'no endpoint');
    await kubectl.ok`delete service front`;
    await eventually(
      async () => (await kubectl.run`get endpoints front`).status !== 0,
      'no endpoints of a gone service',
    );
  });

  it('says why a pod waits for a node', async () => {
    await kubectl.ok`run choosy --image=app --overrides=${JSON.stringify({ spec: { nodeSelector: { disk: 'fast' } } })}`;
    await eventually(
      async () => (await kubectl.ok`events --for=pod/choosy`).includes('FailedScheduling'),
      'an event of the scheduler',
    );
    assert.match(
      await kubectl.ok`describe pod choosy`,
      /Warning +FailedScheduling +\S+ +default-scheduler +0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector/,
    );
    await kubectl.ok`label node node-2 disk=fast`;
    await kubectl.ok`wait --for=condition=Ready pod/choosy --timeout=30s`;
    assert.equal(await kubectl.ok`get pod choosy -o jsonpath={.spec.nodeName}`, 'node-2');
    await kubectl.ok`label node node-2 disk-`;
  });
});
