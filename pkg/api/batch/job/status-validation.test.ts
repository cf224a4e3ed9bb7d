import assert from 'node:assert/strict';
import type { JobSpec, JobStatus } from '../../../generated/types/batch-v1.ts';
import { update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { job } from './job.ts';

const V1 = 'batch/v1';
const START = '2026-01-01T00:00:00Z';
const END = '2026-01-01T00:01:00Z';
const is = (...types: string[]): JobStatus['conditions'] =>
  types.map((type) => ({ type, status: 'True' })) as JobStatus['conditions'];
const complete = { conditions: is('SuccessCriteriaMet', 'Complete'), startTime: START, completionTime: END };
const indexed = { completionMode: 'Indexed', completions: 5, parallelism: 2, backoffLimitPerIndex: 1 };

function problems(status: object, { spec = {}, old = {} }: { spec?: Partial<JobSpec>; old?: object } = {}): string[] {
  const body = {
    metadata: { name: 'j' },
    spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } }, ...spec },
  };
  const before = stored(job, V1, body);
  before.status = old;
  return update(
    job,
    V1,
    before,
    (j) => {
      j.status = status;
    },
    { subresource: 'status' },
  ).texts.map((text) => text.slice('status.'.length));
}

describe('status of a job', () => {
  const good: [string, object, { spec?: Partial<JobSpec>; old?: object }?][] = [
    ['a start', { startTime: START, active: 1, ready: 1 }],
    ['a success', complete],
    ['a failure', { conditions: is('FailureTarget', 'Failed'), startTime: START }],
    ['indexes', { completedIndexes: '0,2-3', failedIndexes: '1' }, { spec: indexed }],
    [
      'a restart after a suspension',
      { startTime: END, conditions: [{ type: 'Suspended', status: 'False' }] },
      { old: { startTime: START, conditions: is('Suspended') } },
    ],
    [
      'what was wrong before, where it stays',
      { completedIndexes: '9', conditions: is('Complete'), active: 1, succeeded: 3 },
      { old: { completedIndexes: '9', conditions: is('Complete'), active: 1, succeeded: 2 } },
    ],
    [
      'fewer successes of a job that shrinks',
      { succeeded: 1 },
      { spec: { ...indexed, parallelism: 5 }, old: { succeeded: 3 } },
    ],
    [
      'a success of no pods, suspended',
      { ...complete, startTime: undefined },
      { spec: { suspend: true, completions: 0 } },
    ],
  ];
  for (const [name, status, options] of good)
    it(`takes ${name}`, () => assert.deepEqual(problems(status, options), []));

  const bad: [string, object, string[], { spec?: Partial<JobSpec>; old?: object }?][] = [
    [
      'two ends',
      { ...complete, conditions: is('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') },
      [
        'conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    ],
    [
      'ends without an announced reason',
      { conditions: is('Failed'), startTime: START },
      ['conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition'],
    ],
    [
      'a success without criteria and time',
      { conditions: is('Complete'), startTime: START },
      [
        'completionTime: Required value: completionTime is required for Complete jobs',
        'conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      ],
    ],
    [
      'an end of a job that runs',
      { startTime: START, completionTime: END },
      [`completionTime: Invalid value: "${END}": cannot set completionTime when there is no Complete=True condition`],
    ],
    [
      'an end before the start',
      { ...complete, startTime: END, completionTime: START },
      [`completionTime: Invalid value: "${START}": must be equal to or after \`startTime\``],
    ],
    [
      'an end with pods, without a start',
      { ...complete, startTime: undefined, active: 1, terminating: 2 },
      [
        'active: Invalid value: 1: active>0 is invalid for finished job',
        'startTime: Required value: startTime is required for finished job',
        'terminating: Invalid value: 2: terminating>0 is invalid for finished job',
      ],
    ],
    [
      'more ready pods than there are',
      { ready: 2, active: 1 },
      ['ready: Invalid value: 2: cannot set more ready pods than active'],
    ],
    [
      'indexes of a job without',
      { completedIndexes: '0', failedIndexes: '' },
      [
        'completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        'failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    ],
    [
      'indexes that cannot be',
      { completedIndexes: '1,x', failedIndexes: '0-1-2' },
      [
        'completedIndexes: Invalid value: "1,x": error parsing completedIndexes: cannot convert string to integer for index: "x"',
        'failedIndexes: Invalid value: "0-1-2": error parsing failedIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by \'-\'',
      ],
      { spec: indexed },
    ],
    [
      'indexes that are too large',
      { completedIndexes: '7' },
      ['completedIndexes: Invalid value: "7": error parsing completedIndexes: too large index: "7"'],
      { spec: indexed },
    ],
    [
      'indexes in both',
      { completedIndexes: '0-2', failedIndexes: '2,4' },
      ['failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2'],
      { spec: indexed },
    ],
    [
      'counters that go back',
      { failed: 1, succeeded: 1 },
      [
        'failed: Invalid value: 1: cannot decrease the failed counter',
        'succeeded: Invalid value: 1: cannot decrease the succeeded counter',
      ],
      { old: { failed: 2, succeeded: 2 } },
    ],
    [
      'ends that are taken back',
      { startTime: START },
      [
        'conditions: Invalid value: cannot disable the terminal Complete=True condition',
        'conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
      ],
      { old: complete },
    ],
    [
      'times that move',
      { ...complete, startTime: '2025-01-01T00:00:00Z', completionTime: '2027-01-01T00:00:00Z' },
      [
        'completionTime: Invalid value: "2027-01-01T00:00:00Z": field is immutable',
        'startTime: Invalid value: "2025-01-01T00:00:00Z": field is immutable for unsuspended job once set',
      ],
      { old: complete },
    ],
  ];
  for (const [name, status, expected, options] of bad)
    it(`refuses ${name}`, () => assert.deepEqual(problems(status, options), expected));
});
