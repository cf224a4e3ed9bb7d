import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cells, create, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { job } from './job.ts';

const V1 = 'batch/v1';
const POD = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' };

function body(spec: object = {}, metadata: object = {}): object {
  return {
    metadata: { name: 'j', ...metadata },
    spec: { template: { metadata: { labels: { app: 'a' } }, spec: POD }, ...spec },
  };
}

const errorsOf = (spec: object, metadata: object = {}) => create(job, V1, body(spec, metadata)).texts;
const exitCodes = (onExitCodes: object) =>
  errorsOf({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] } });

describe('job', () => {
  describe('defaults', () => {
    it('runs one pod to completion', () => {
      const { spec } = create(job, V1, body()).object;
      const { template: _template, selector: _selector, ...rest } = spec;
      assert.deepEqual(rest, {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      });
    });

    it('leaves failures to the indexes where they have a limit, and waits for pods that may count as failed', () => {
      const { spec } = create(
        job,
        V1,
        body({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 }),
      ).object;
      assert.equal(spec.backoffLimit, 2147483647);
      const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
      assert.equal(create(job, V1, body({ podFailurePolicy: { rules } })).object.spec.podReplacementPolicy, 'Failed');
    });

    it('leaves the completions of a work queue open', () => {
      const { spec } = create(job, V1, body({ parallelism: 3 })).object;
      assert.deepEqual([spec.parallelism, spec.completions], [3, undefined]);
    });

    it('marks pods and job with name and uid', () => {
      const { object } = create(job, V1, body());
      const { uid } = object.metadata;
      const labels = {
        app: 'a',
        'batch.kubernetes.io/controller-uid': uid,
        'batch.kubernetes.io/job-name': 'j',
        'controller-uid': uid,
        'job-name': 'j',
      };
      assert.deepEqual(object.spec.template.metadata.labels, labels);
      assert.deepEqual(object.metadata.labels, labels);
      assert.notEqual(object.metadata.labels, object.spec.template.metadata.labels);
      assert.deepEqual(object.spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
      assert.equal(object.metadata.annotations, undefined);
      assert.equal(object.metadata.generation, 1);
    });

    it('leaves labels that the job has of its own', () => {
      assert.deepEqual(create(job, V1, body({}, { labels: { app: 'a' } })).object.metadata.labels, { app: 'a' });
    });

    it('gives a job without labels those of its template, also where the template has none of its own', () => {
      const { metadata, spec } = create(job, V1, body({ template: { spec: POD } })).object;
      assert.equal(metadata.labels?.['job-name'], 'j');
      assert.deepEqual(metadata.labels, spec.template.metadata.labels);
    });

    it('leaves a manual selector alone', () => {
      const { object, texts } = create(
        job,
        V1,
        body({ manualSelector: true, selector: { matchLabels: { app: 'a' } } }),
      );
      assert.deepEqual(texts, []);
      assert.deepEqual(object.spec.selector, { matchLabels: { app: 'a' } });
      assert.deepEqual(object.spec.template.metadata.labels, { app: 'a' });
    });
  });

  describe('validation', () => {
    const cases: [string, object, string[]][] = [
      [
        'nothing',
        { template: {} },
        [
          'spec.template.spec.containers: Required value',
          'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ],
      ],
      [
        'an unknown restart policy',
        { template: { spec: { ...POD, restartPolicy: 'Maybe' } } },
        [
          'spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
          'spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "OnFailure", "Never"',
        ],
      ],
      [
        'negative numbers',
        { parallelism: -1, completions: -2, activeDeadlineSeconds: -3, backoffLimit: -4, ttlSecondsAfterFinished: -5 },
        [
          'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
          'spec.completions: Invalid value: -2: must be greater than or equal to 0',
          'spec.activeDeadlineSeconds: Invalid value: -3: must be greater than or equal to 0',
          'spec.backoffLimit: Invalid value: -4: must be greater than or equal to 0',
          'spec.ttlSecondsAfterFinished: Invalid value: -5: must be greater than or equal to 0',
        ],
      ],
      [
        'an unknown mode',
        { completionMode: 'Odd' },
        ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
      ],
      [
        'indexes without end',
        { completionMode: 'Indexed', parallelism: 100_001 },
        [
          'spec.completions: Required value: when completion mode is Indexed',
          'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
        ],
      ],
      [
        'limits per index without indexes',
        { backoffLimitPerIndex: 1 },
        ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
      ],
      [
        'a manual selector that is missing',
        { manualSelector: true },
        [
          'spec.selector: Required value',
          'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
        ],
      ],
      [
        'a manager without domain',
        { managedBy: 'me' },
        ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
      ],
      [
        'an unknown replacement',
        { podReplacementPolicy: 'Never' },
        ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
      ],
      [
        'a failure policy for pods that restart',
        {
          podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
          template: { spec: { ...POD, restartPolicy: 'OnFailure' } },
        },
        [
          'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
        ],
      ],
      [
        'incomplete failure rules',
        {
          podFailurePolicy: {
            rules: [{ action: '' }, { action: 'Shrug', onPodConditions: [{ type: '', status: 'Perhaps' }] }],
          },
        },
        [
          'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
          'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
          'spec.podFailurePolicy.rules[1].action: Unsupported value: "Shrug": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
          'spec.podFailurePolicy.rules[1].onPodConditions[0].type: Invalid value: "": name part must be non-empty',
          "spec.podFailurePolicy.rules[1].onPodConditions[0].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', " +
            "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          'spec.podFailurePolicy.rules[1].onPodConditions[0].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
        ],
      ],
      [
        'success without indexes',
        { successPolicy: { rules: [] } },
        ['spec.successPolicy: Invalid value: requires indexed completion mode'],
      ],
      [
        'indexes out of order',
        { completionMode: 'Indexed', completions: 5, successPolicy: { rules: [{ succeededIndexes: '3,1' }] } },
        [
          'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "3,1": error parsing succeededIndexes: non-increasing order, previous: 3, current: 1',
        ],
      ],
      [
        'too many successes',
        {
          completionMode: 'Indexed',
          completions: 5,
          successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 4 }, { succeededCount: 6 }, {}] },
        },
        [
          'spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of indexes in the specified succeededIndexes field)',
          'spec.successPolicy.rules[1].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)',
          'spec.successPolicy.rules[2]: Required value: at least one of succeededCount or succeededIndexes must be specified',
        ],
      ],
      [
        'a limit of failed indexes alone',
        { maxFailedIndexes: 1 },
        [
          'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
          'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
        ],
      ],
      [
        'very many indexes that each may fail',
        { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 0 },
        [
          'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
          'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
        ],
      ],
      [
        'a replacement before a failure that counts',
        {
          podReplacementPolicy: 'TerminatingOrFailed',
          podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        },
        ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
      ],
    ];
    for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));

    it('refuses odd exit codes', () => {
      const path = 'spec.podFailurePolicy.rules[0].onExitCodes';
      assert.deepEqual(exitCodes({ operator: 'In', values: [1, 2] }), []);
      assert.deepEqual(exitCodes({ operator: 'Between', values: [], containerName: 'x' }), [
        `${path}.operator: Unsupported value: "Between": supported values: "In", "NotIn"`,
        `${path}.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template`,
        `${path}.values: Invalid value: []: at least one value is required`,
      ]);
      assert.deepEqual(exitCodes({ operator: 'In', values: [2, 0, 2] }), [
        `${path}.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `${path}.values[2]: Duplicate value: 2`,
        `${path}.values: Invalid value: [2,0,2]: must be ordered`,
      ]);
    });

    it('refuses a selector that is not its own', () => {
      const [first, second] = errorsOf({ selector: { matchLabels: { a: 'b' } } });
      assert.match(first!, /^spec\.selector: Invalid value: \{"matchLabels":\{.*\}\}: `selector` not auto-generated$/);
      assert.match(
        second!,
        /^spec\.template\.metadata\.labels: Invalid value: .*: `selector` does not match template `labels`$/,
      );
    });

    it('refuses labels of another job', () => {
      const texts = errorsOf({ template: { metadata: { labels: { 'job-name': 'other' } }, spec: POD } });
      assert.equal(texts.length, 1);
      assert.match(texts[0]!, /^spec\.template\.metadata\.labels\[job-name\]: Invalid value: \{.*\}: must be 'j'$/);
    });

    it('refuses indexed jobs whose pods could not be named', () => {
      const name = 'n'.repeat(62);
      assert.deepEqual(errorsOf({ completionMode: 'Indexed', completions: 3 }, { name }), [
        `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-2`,
      ]);
    });
  });

  describe('updates', () => {
    const old = (spec: object = {}) => stored(job, V1, body(spec));

    it('keeps completions, selector, template and mode', () => {
      assert.deepEqual(
        update(job, V1, old(), (j) => {
          j.spec.completions = 9;
        }).texts,
        ['spec.completions: Invalid value: 9: field is immutable'],
      );
      assert.deepEqual(
        update(job, V1, old(), (j) => {
          j.spec.template.spec.nodeSelector = { a: 'b' };
        }).texts,
        ['spec.template: Invalid value: core.PodTemplateSpec{...}: field is immutable'],
      );
      const { object, texts } = update(job, V1, old(), (j) => {
        Object.assign(j.spec, { parallelism: 3, suspend: true, ttlSecondsAfterFinished: 5 });
      });
      assert.deepEqual(texts, []);
      assert.equal(object.metadata.generation, 2);
    });

    it('lets a job that its controller has suspended be placed and sized', () => {
      const placed = (j: { spec: { template: { spec: object } } }) => {
        const nodeAffinity = {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
          },
        };
        Object.assign(j.spec.template.spec, {
          nodeSelector: { a: 'b' },
          tolerations: [{ operator: 'Exists' }],
          affinity: { nodeAffinity },
        });
      };
      const sized = (j: any): void => void (j.spec.template.spec.containers[0].resources = { requests: { cpu: '1' } }); // `any`: any served shape
      const suspended = (status: object = {}): any =>
        Object.assign(old({ suspend: true }), {
          status: { conditions: [{ type: 'Suspended', status: 'True' }], startTime: '2026-01-01T00:00:00Z', ...status },
        });
      for (const change of [placed, sized]) {
        assert.deepEqual(update(job, V1, suspended(), change).texts, []);
        assert.deepEqual(update(job, V1, suspended({ active: 1 }), change).texts, [
          'spec.template: Invalid value: core.PodTemplateSpec{...}: field is immutable',
        ]);
        assert.equal(update(job, V1, suspended({ conditions: [] }), change).texts.length, 1);
      }
      assert.deepEqual(
        update(job, V1, suspended(), (j) => {
          j.spec.template.spec.containers[0].image = 'other';
        }).texts,
        ['spec.template.spec: Invalid value: core.PodSpec{...}: field is immutable'],
      );
    });

    it('lets an indexed job grow and shrink with its parallelism', () => {
      const indexed = old({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
      assert.deepEqual(
        update(job, V1, indexed, (j) => {
          Object.assign(j.spec, { completions: 5, parallelism: 5 });
        }).texts,
        [],
      );
      assert.deepEqual(
        update(job, V1, indexed, (j) => {
          j.spec.completions = 5;
        }).texts,
        ['spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism'],
      );
    });

    it('leaves annotations to clients', () => {
      const marked = update(job, V1, old(), (j) => {
        j.metadata.annotations = { 'batch.kubernetes.io/job-tracking': '' };
      });
      assert.deepEqual(
        [
          marked.texts,
          update(job, V1, marked.object, (j) => {
            delete j.metadata.annotations;
          }).object.metadata.annotations,
        ],
        [[], undefined],
      );
    });

    it('accepts jobs of old releases, which have only the labels without prefix', () => {
      const aged = old();
      const { uid, name } = aged.metadata;
      aged.spec.selector = { matchLabels: { 'controller-uid': uid } };
      aged.spec.template.metadata.labels = { 'controller-uid': uid, 'job-name': name };
      assert.deepEqual(
        update(job, V1, aged, (j) => {
          j.spec.parallelism = 2;
        }).texts,
        [],
      );
    });

    it('accepts a job that a stock server of release 1.36 stored', () => {
      const json = JSON.parse(
        readFileSync(new URL('../../../../test/golden/job-of-release-1.36.json', import.meta.url), 'utf8'),
      );
      const { object, texts } = update(job, V1, json, (j) => {
        Object.assign(j.spec, { parallelism: 3, suspend: true });
      });
      assert.deepEqual([texts, object.metadata.generation], [[], 2]);
    });

    it('reports errors of the spec twice, and those of metadata four times', () => {
      assert.equal(
        update(job, V1, old(), (j) => {
          j.spec.parallelism = -1;
        }).texts.length,
        2,
      );
      assert.equal(
        update(job, V1, old(), (j) => {
          j.metadata.labels = { 'bad key!': 'x' };
        }).texts.length,
        4,
      );
    });

    it('checks the status', () => {
      const status = { active: -1, uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } };
      assert.deepEqual(
        update(
          job,
          V1,
          old(),
          (j) => {
            j.status = status;
          },
          { subresource: 'status' },
        ).texts,
        [
          'status.active: Invalid value: -1: must be greater than or equal to 0',
          'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
          'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
        ],
      );
    });
  });

  it('prints a row', () => {
    const { object } = create(job, V1, body({ parallelism: 3 }));
    const { uid } = object.metadata;
    object.status = { succeeded: 1, startTime: '2026-01-02T03:00:00Z' };
    assert.deepEqual(cells(job, object), [
      'j',
      'Running',
      '1/1 of 3',
      '4m5s',
      '0s',
      'c',
      'i',
      `batch.kubernetes.io/controller-uid=${uid}`,
    ]);
    object.status.completionTime = '2026-01-02T03:00:30Z';
    object.spec.completions = 4;
    assert.deepEqual(cells(job, object).slice(2, 4), ['1/4', '30s']);
    const shown = (...types: string[]): unknown =>
      cells(job, { ...object, status: { conditions: types.map((type) => ({ type, status: 'True' })) } })[1];
    assert.deepEqual(
      [
        shown('SuccessCriteriaMet', 'Complete'),
        shown('FailureTarget', 'Failed'),
        shown('FailureTarget'),
        shown('Suspended'),
      ],
      ['Complete', 'Failed', 'FailureTarget', 'Suspended'],
    );
    assert.equal(
      cells(job, { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })[1],
      'Terminating',
    );
  });

  it('orphans its pods by default, and is found by its successes', () => {
    assert.equal(job.garbageCollectionDefault!(V1), 'orphan');
    const label = job.fieldLabels!['status.successful']!;
    assert.equal(label({ status: { succeeded: 2 } }), '2');
    assert.equal(label({ status: {} }), '0');
  });
});
