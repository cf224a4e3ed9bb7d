import assert from 'node:assert/strict';
import type { Pod, PodSpec, PodStatus } from '../generated/types/core-v1.ts';
import { SimulatedPod } from './simulated-pod.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

interface Script {
  readonly spec: Partial<PodSpec>;
  readonly annotations?: Record<string, string>;
}

class Timeline {
  private readonly simulated: SimulatedPod;
  private readonly pod: Pod;
  private known: PodStatus = {
    conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
  };
  private nowMs = START;

  constructor({ spec, annotations = {} }: Script) {
    const metadata = { namespace: 'ns', name: 'p', uid: 'u', generation: 1, annotations };
    const pod: Pod = { metadata, spec: { containers: [], ...spec }, status: {} };
    this.pod = pod;
    this.simulated = new SimulatedPod(pod, { hostIp: '10.0.0.1', podIp: '10.244.0.2' }, START);
    this.simulated.advance(START);
  }

  get now(): PodStatus {
    return (this.known = this.simulated.status(this.known, this.nowMs));
  }

  /** Deletes the pod now; gives the seconds that it takes until its containers have ended. */
  end(graceSeconds: number): number {
    const deletionTimestamp = new Date(this.nowMs + graceSeconds * 1000).toISOString();
    const metadata = { ...this.pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
    this.simulated.update({ ...this.pod, metadata });
    const before = this.nowMs;
    this.nowMs = this.simulated.terminate(this.nowMs);
    this.simulated.terminate(this.nowMs);
    return (this.nowMs - before) / 1000;
  }

  /** Seconds at which something happens, and the states of the containers then, until nothing does or the end. */
  play(untilSeconds: number): string[] {
    const lines = [this.line()];
    for (let next = this.simulated.nextMs(this.nowMs); next <= START + untilSeconds * 1000;) {
      this.nowMs = next;
      this.simulated.advance(next);
      lines.push(this.line());
      next = this.simulated.nextMs(next);
    }
    return lines;
  }

  private line(): string {
    const { phase, initContainerStatuses = [], containerStatuses = [] } = this.now;
    const states = [...initContainerStatuses, ...containerStatuses].map(({ name, state, ready, restartCount }) => {
      const text = state?.running ? 'runs' : (state?.waiting?.reason ?? `ended ${state?.terminated?.exitCode}`);
      return `${name} ${text}${ready ? ' ready' : ''}${restartCount > 0 ? ` ${restartCount}` : ''}`;
    });
    return `${(this.nowMs - START) / 1000} ${phase}: ${states.join(', ')}`;
  }
}

const container = (name: string, command: string, more: object = {}) => ({
  name,
  resources: {},
  command: ['sh', '-c', command],
  ...more,
});
const play = (script: Script, untilSeconds = 100): string[] => new Timeline(script).play(untilSeconds);

describe('SimulatedPod', () => {
  it('runs and is ready at once without probes', () => {
    const timeline = new Timeline({ spec: { containers: [container('a', 'sleep infinity')] } });
    assert.deepEqual(timeline.play(100), ['0 Running: a runs ready']);
    const { conditions = [], podIP, hostIP } = timeline.now;
    assert.deepEqual(
      conditions.map(({ type, status }) => `${type}=${status}`),
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => `${type}=True`,
      ),
    );
    assert.deepEqual([podIP, hostIP], ['10.244.0.2', '10.0.0.1']);
  });

  it('is ready when the probes had their time', () => {
    const probes = {
      startupProbe: { initialDelaySeconds: 5 },
      // Its delay runs from the start of the container, and is over when the startup probe has succeeded.
      readinessProbe: { initialDelaySeconds: 3, periodSeconds: 2, successThreshold: 3 },
    };
    assert.deepEqual(play({ spec: { containers: [container('a', 'sleep infinity', probes)] } }), [
      '0 Running: a runs',
      '5 Running: a runs',
      '9 Running: a runs ready',
    ]);
  });

  it('runs init containers one after the other, sidecars beside them', () => {
    const spec = {
      initContainers: [
        container('i', 'sleep 2'),
        container('s', 'sleep infinity', { restartPolicy: 'Always' }),
        container('j', 'sleep 3'),
      ],
      containers: [container('a', 'sleep 4')],
      restartPolicy: 'Never',
    };
    assert.deepEqual(play({ spec }), [
      '0 Pending: i runs, s PodInitializing, j PodInitializing, a PodInitializing',
      '2 Pending: i ended 0 ready, s runs ready, j runs, a PodInitializing',
      '5 Running: i ended 0 ready, s runs ready, j ended 0 ready, a runs ready',
      '9 Succeeded: i ended 0 ready, s ended 0, j ended 0 ready, a ended 0',
    ]);
  });

  it('restarts what fails, the first time at once, then after a time that doubles', () => {
    assert.deepEqual(play({ spec: { containers: [container('a', 'sleep 1; exit 1')] } }, 40), [
      '0 Running: a runs ready',
      '1 Running: a runs ready 1',
      '2 Running: a CrashLoopBackOff 1',
      '12 Running: a runs ready 2',
      '13 Running: a CrashLoopBackOff 2',
      '33 Running: a runs ready 3',
      '34 Running: a CrashLoopBackOff 3',
    ]);
  });

  const ends: readonly (readonly [policy: string, command: string, last: string])[] = [
    ['Never', 'sleep 1; exit 3', '1 Failed: a ended 3'],
    ['Never', 'sleep 1', '1 Succeeded: a ended 0'],
    ['OnFailure', 'sleep 1', '1 Succeeded: a ended 0'],
  ];
  for (const [restartPolicy, command, last] of ends)
    it(`ends with ${restartPolicy} after ${command}`, () =>
      assert.equal(play({ spec: { containers: [container('a', command)], restartPolicy } }).at(-1), last));

  it('fails with an init container that fails and is not restarted', () => {
    const spec = {
      initContainers: [container('i', 'exit 1')],
      containers: [container('a', 'true')],
      restartPolicy: 'Never',
    };
    assert.deepEqual(play({ spec }), ['0 Failed: i ended 1, a PodInitializing']);
  });

  it('says of each container what an agent says', () => {
    const resources = { requests: { cpu: '100m' }, limits: { cpu: '1' } };
    const volumeMounts = [{ name: 'v', mountPath: '/data', readOnly: true }];
    const timeline = new Timeline({
      spec: { containers: [container('a', 'sleep 1; exit 3', { image: 'app:1', resources, volumeMounts })] },
    });
    timeline.play(2);
    const ran = (number: number): object => ({
      exitCode: 3,
      reason: 'Error',
      startedAt: `2026-01-01T00:00:0${number}Z`,
      finishedAt: `2026-01-01T00:00:0${number + 1}Z`,
      containerID: `simulated://a-${START + number * 1000}-${number}`,
    });
    const { containerStatuses, conditions, observedGeneration } = timeline.now;
    assert.deepEqual(containerStatuses, [
      {
        name: 'a',
        image: 'app:1',
        imageID: 'simulated://app:1',
        containerID: `simulated://a-${START + 1000}-1`,
        ready: false,
        started: false,
        restartCount: 1,
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: 'back-off 10s restarting failed container=a pod=p_ns(u)',
          },
        },
        lastState: { terminated: ran(1) },
        allocatedResources: resources.requests,
        resources,
        volumeMounts: [{ ...volumeMounts[0], recursiveReadOnly: 'Disabled' }],
      },
    ]);
    assert.deepEqual([observedGeneration, conditions?.[0]?.observedGeneration], [1, 1]);
  });

  it('says which init containers and readiness gates it waits for', () => {
    const timeline = new Timeline({
      spec: {
        readinessGates: [{ conditionType: 'example.com/open' }],
        initContainers: [container('i', 'sleep 5')],
        containers: [container('a', 'sleep infinity')],
      },
    });
    const said = (type: string): string | undefined =>
      timeline.now.conditions?.find((condition) => condition.type === type)?.message;
    assert.equal(said('Initialized'), 'containers with incomplete status: [i]');
    assert.equal(said('Ready'), 'containers with unready status: [a]');
    timeline.play(6);
    assert.equal(said('Ready'), 'corresponding condition of pod readiness gate "example.com/open" does not exist.');
  });

  it('restarts a container by the rules for its exit codes', () => {
    const rules = {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    };
    const last = (code: number): string | undefined =>
      play({ spec: { restartPolicy: 'Never', containers: [container('a', `sleep 1; exit ${code}`, rules)] } }, 1).at(
        -1,
      );
    assert.equal(last(42), '1 Running: a runs ready 1');
    assert.equal(last(43), '1 Failed: a ended 43');
  });

  it('gives containers the time that they take to stop, within the grace period', () => {
    const cases: readonly (readonly [more: object, annotations: Record<string, string>, grace: number, end: string])[] =
      [
        [{}, {}, 30, '0 143'],
        [{}, { 'simulation.binnacle.io/stop-seconds': '7' }, 30, '7 143'],
        [{}, { 'simulation.binnacle.io/stop-seconds.a': '7' }, 5, '5 137'],
        [{ lifecycle: { preStop: { sleep: { seconds: 3 } } } }, {}, 30, '3 143'],
        [{ lifecycle: { preStop: { exec: { command: ['sleep', '4'] } } } }, {}, 30, '4 143'],
        [{}, { 'simulation.binnacle.io/stop-seconds': '7' }, 0, '0 137'],
      ];
    for (const [more, annotations, grace, end] of cases) {
      const spec = { containers: [container('a', 'sleep infinity', more)] };
      const timeline = new Timeline({ spec, annotations });
      const seconds = timeline.end(grace);
      const code = timeline.now.containerStatuses?.[0]?.state.terminated?.exitCode;
      assert.equal(`${seconds} ${code}`, end);
    }
  });

  it('fails at its deadline', () => {
    const timeline = new Timeline({
      spec: { containers: [container('a', 'sleep infinity')], activeDeadlineSeconds: 7 },
    });
    assert.equal(timeline.play(100).at(-1), '7 Failed: a ended 137');
    assert.equal(timeline.now.reason, 'DeadlineExceeded');
  });

  it('is not ready where an annotation says so', () => {
    const annotations = { 'simulation.binnacle.io/never-ready': 'true' };
    const timeline = new Timeline({ spec: { containers: [container('a', 'sleep infinity')] }, annotations });
    assert.deepEqual(timeline.play(100), ['0 Running: a runs']);
    const ready = timeline.now.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'ContainersNotReady']);
  });

  it('runs containers that are added for debugging beside the others, once', () => {
    const spec = { containers: [container('a', 'sleep 2')], restartPolicy: 'Never' };
    const pod: Pod = { metadata: { name: 'p' }, spec, status: {} };
    const simulated = new SimulatedPod(pod, { hostIp: '10.0.0.1', podIp: '10.244.0.2' }, START);
    const ephemeralContainers = [container('shell', 'exit 3'), { name: 'long', resources: {} }];
    simulated.update({ ...pod, spec: { ...spec, ephemeralContainers } });
    simulated.update({ ...pod, spec: { ...spec, ephemeralContainers } });
    const states = (atMs: number): unknown[] => {
      simulated.advance(atMs);
      const { phase, ephemeralContainerStatuses = [] } = simulated.status({}, atMs);
      return [phase, ...ephemeralContainerStatuses.map(({ state }) => state?.terminated?.exitCode ?? 'runs')];
    };
    assert.deepEqual(states(START), ['Running', 3, 'runs']);
    const [shell] = simulated.status({}, START).ephemeralContainerStatuses ?? [];
    assert.deepEqual([shell?.ready, shell?.restartCount, shell?.started], [false, 0, undefined]);
    assert.deepEqual(states(START + 2000), ['Succeeded', 3, 'runs']);
    assert.equal(simulated.log('shell', START)?.isRunning, false);
    simulated.terminate(START + 3000);
    assert.deepEqual(simulated.status({}, START + 3000).ephemeralContainerStatuses?.length, 2);
    assert.equal(simulated.log('long', START + 3000)?.isRunning, false);
  });
});
