import assert from 'node:assert/strict';
import { cells, decode, TEST_NOW } from '../../kind-testing.ts';
import { pod } from './pod.ts';

const RUNNING = { running: { startedAt: '2026-01-02T03:00:00Z' } };
const SPEC = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }, { name: 'j' }] };

function status(name: string, state: object, more: object = {}): object {
  return { name, state, ready: false, restartCount: 0, image: '', imageID: '', lastState: {}, ...more };
}

function terminated(exitCode: number, more: object = {}): object {
  return { terminated: { exitCode, startedAt: null, finishedAt: null, ...more } };
}

/** Cells READY, STATUS, RESTARTS. */
const CASES: [what: string, object: object, expected: string[]][] = [
  ['a new pod', { status: { phase: 'Pending' } }, ['0/2', 'Pending', '0']],
  ['a reason', { status: { phase: 'Failed', reason: 'Evicted' } }, ['0/2', 'Evicted', '0']],
  [
    'a gated pod',
    {
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    ['0/2', 'SchedulingGated', '0'],
  ],
  [
    'running containers',
    {
      status: {
        phase: 'Running',
        containerStatuses: [
          status('a', RUNNING, { ready: true, restartCount: 2 }),
          status('b', RUNNING, { ready: true }),
        ],
      },
    },
    ['2/2', 'Running', '2'],
  ],
  [
    'restarts with a time',
    {
      status: {
        phase: 'Running',
        containerStatuses: [
          status(
            'a',
            { waiting: { reason: 'CrashLoopBackOff' } },
            { restartCount: 3, lastState: terminated(1, { finishedAt: '2026-01-02T02:59:05Z' }) },
          ),
        ],
      },
    },
    ['0/2', 'CrashLoopBackOff', '3 (5m ago)'],
  ],
  [
    'completed containers',
    { status: { phase: 'Succeeded', containerStatuses: [status('a', terminated(0, { reason: 'Completed' }))] } },
    ['0/2', 'Completed', '0'],
  ],
  [
    'one of two completed, not ready',
    {
      status: {
        phase: 'Running',
        containerStatuses: [status('a', terminated(0, { reason: 'Completed' })), status('b', RUNNING, { ready: true })],
      },
    },
    ['1/2', 'NotReady', '0'],
  ],
  [
    'one of two completed, ready',
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [status('a', terminated(0, { reason: 'Completed' })), status('b', RUNNING, { ready: true })],
      },
    },
    ['1/2', 'Running', '0'],
  ],
  [
    'an exit code',
    { status: { phase: 'Failed', containerStatuses: [status('a', terminated(3))] } },
    ['0/2', 'ExitCode:3', '0'],
  ],
  [
    'a signal',
    { status: { phase: 'Failed', containerStatuses: [status('a', terminated(137, { signal: 9 }))] } },
    ['0/2', 'Signal:9', '0'],
  ],
  [
    'the first init container at work',
    {
      status: {
        phase: 'Pending',
        initContainerStatuses: [status('i', RUNNING), status('j', { waiting: { reason: 'PodInitializing' } })],
      },
    },
    ['0/2', 'Init:0/2', '0'],
  ],
  [
    'the second init container at work',
    { status: { phase: 'Pending', initContainerStatuses: [status('i', terminated(0)), status('j', RUNNING)] } },
    ['0/2', 'Init:1/2', '0'],
  ],
  [
    'a failing init container',
    {
      status: {
        phase: 'Pending',
        initContainerStatuses: [status('i', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 4 })],
        containerStatuses: [status('a', { waiting: { reason: 'PodInitializing' } })],
      },
    },
    ['0/2', 'Init:CrashLoopBackOff', '4'],
  ],
  [
    'a failed init container',
    { status: { phase: 'Failed', initContainerStatuses: [status('i', terminated(1, { reason: 'Error' }))] } },
    ['0/2', 'Init:Error', '0'],
  ],
  [
    'a killed init container',
    { status: { phase: 'Failed', initContainerStatuses: [status('i', terminated(137, { signal: 9 }))] } },
    ['0/2', 'Init:Signal:9', '0'],
  ],
  [
    'init containers that are through',
    {
      status: {
        phase: 'Running',
        initContainerStatuses: [status('i', terminated(0), { restartCount: 7 }), status('j', terminated(0))],
        containerStatuses: [status('a', RUNNING, { ready: true, restartCount: 1 })],
      },
    },
    ['1/2', 'Running', '1'],
  ],
  [
    'sidecars',
    {
      spec: { ...SPEC, initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      status: {
        phase: 'Running',
        initContainerStatuses: [status('s', RUNNING, { started: true, ready: true, restartCount: 1 })],
        containerStatuses: [status('a', RUNNING, { ready: true })],
      },
    },
    ['2/3', 'Running', '1'],
  ],
  [
    'a deletion',
    { metadata: { deletionTimestamp: TEST_NOW }, status: { phase: 'Running' } },
    ['0/2', 'Terminating', '0'],
  ],
  [
    'a deletion on a lost node',
    { metadata: { deletionTimestamp: TEST_NOW }, status: { phase: 'Running', reason: 'NodeLost' } },
    ['0/2', 'Unknown', '0'],
  ],
];

describe('pods: printed row', () => {
  for (const [what, object, expected] of CASES) {
    it(`sums up ${what}`, () =>
      assert.deepEqual(cells(pod, decode(pod, 'v1', { spec: SPEC, ...object })).slice(1, 4), expected));
  }

  it('shows where the pod is', () => {
    const object = decode(pod, 'v1', {
      metadata: { name: 'p', creationTimestamp: '2026-01-01T03:04:05Z' },
      spec: { nodeName: 'n', containers: [], readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      status: {
        phase: 'Running',
        podIP: '192.0.2.7',
        nominatedNodeName: 'm',
        conditions: [
          { type: 'a', status: 'True' },
          { type: 'b', status: 'False' },
        ],
      },
    });
    assert.deepEqual(cells(pod, object), ['p', '0/0', 'Running', '0', '24h', '192.0.2.7', 'n', 'm', '1/2']);
    assert.deepEqual(cells(pod, decode(pod, 'v1', { metadata: { name: 'p' } })).slice(4), [
      '<unknown>',
      '<none>',
      '<none>',
      '<none>',
      '<none>',
    ]);
  });

  it('marks pods that have ended', () => {
    const row = (phase: string): unknown => pod.table!.row(decode(pod, 'v1', { status: { phase } }), 0).conditions;
    assert.deepEqual(row('Succeeded'), [
      { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
    ]);
    assert.deepEqual(row('Failed'), [
      { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
    ]);
    assert.equal(row('Running'), undefined);
  });
});
