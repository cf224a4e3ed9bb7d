import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { cronJob } from './cron-job.ts';

const V1 = 'batch/v1';
const V1BETA1 = 'batch/v1beta1';
const POD = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'OnFailure' };

function body(spec: object = {}, metadata: object = {}): object {
  return {
    metadata: { name: 'c', ...metadata },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: POD } } }, ...spec },
  };
}

const errorsOf = (spec: object, metadata: object = {}) => create(cronJob, V1, body(spec, metadata)).texts;

describe('cron job', () => {
  it('lets jobs overlap and keeps a few of them by default', () => {
    for (const version of [V1, V1BETA1]) {
      const { spec, metadata } = create(cronJob, version, body()).as(version);
      const { concurrencyPolicy, suspend, successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
      assert.deepEqual(
        [concurrencyPolicy, suspend, successfulJobsHistoryLimit, failedJobsHistoryLimit],
        ['Allow', false, 3, 1],
      );
      assert.equal(spec.jobTemplate.spec.backoffLimit, undefined);
      assert.equal(spec.jobTemplate.spec.template.spec.dnsPolicy, 'ClusterFirst');
      assert.equal(metadata.generation, 1);
    }
  });

  const cases: [string, object, string[]][] = [
    ['no schedule', { schedule: '' }, ['spec.schedule: Required value']],
    [
      'a word for a schedule',
      { schedule: 'often' },
      ['spec.schedule: Invalid value: "often": expected exactly 5 fields, found 1: [often]'],
    ],
    [
      'negative numbers',
      { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -2, failedJobsHistoryLimit: -3 },
      [
        'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.successfulJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0',
        'spec.failedJobsHistoryLimit: Invalid value: -3: must be greater than or equal to 0',
      ],
    ],
    [
      'an unknown policy',
      { concurrencyPolicy: 'Queue' },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'an empty time zone',
      { timeZone: '' },
      ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    ],
    [
      'the local time zone',
      { timeZone: 'Local' },
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'an unknown time zone',
      { timeZone: 'Mars/Olympus' },
      ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
    ],
    [
      'a time zone in the schedule',
      { schedule: 'TZ=UTC 0 0 * * *' },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'a selector',
      { jobTemplate: { spec: { selector: {}, manualSelector: true, template: { spec: POD } } } },
      [
        'spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
    ],
    [
      'pods that restart',
      { jobTemplate: { spec: { template: { spec: { ...POD, restartPolicy: 'Always' } } } } },
      ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
  ];
  for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));

  it('limits names, of new objects only', () => {
    const name = 'n'.repeat(53);
    assert.deepEqual(errorsOf({}, { name }), [
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
    const old = stored(cronJob, V1, body());
    old.metadata.name = name;
    assert.deepEqual(
      update(cronJob, V1, old, (c) => {
        c.spec.suspend = true;
      }).texts,
      [],
    );
  });

  it('keeps a time zone that is no longer known', () => {
    const old = stored(cronJob, V1, body());
    old.spec.timeZone = 'Europe/Atlantis';
    const { object, texts } = update(cronJob, V1, old, (c) => {
      c.spec.suspend = true;
    });
    assert.deepEqual(texts, []);
    assert.equal(object.metadata.generation, 2);
    assert.equal(
      update(cronJob, V1, old, (c) => {
        c.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      3,
    );
  });

  it('keeps a time zone in a schedule that has one, and warns of it', () => {
    const old = stored(cronJob, V1, body());
    old.spec.schedule = 'TZ=UTC 0 0 * * *';
    const { object, texts } = update(cronJob, V1, old, (c) => {
      c.spec.schedule = 'CRON_TZ=UTC 0 1 * * *';
    });
    assert.deepEqual(texts, []);
    assert.deepEqual(
      update(cronJob, V1, old, (c) => {
        c.spec.timeZone = 'Europe/Berlin';
      }).texts,
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
      ],
    );
    assert.match(
      cronJob.warnings!(object, undefined).join(),
      /^CRON_TZ or TZ used in spec\.schedule is not officially supported/,
    );
    assert.deepEqual(cronJob.warnings!(create(cronJob, V1, body()).object, undefined), []);
  });

  it('survives v1beta1 unchanged and shows less in v2alpha1', () => {
    const { object } = create(cronJob, V1, body({ timeZone: 'Europe/Berlin' }));
    assert.deepEqual(
      serve(cronJob, V1, decode(cronJob, V1BETA1, serve(cronJob, V1BETA1, object))),
      serve(cronJob, V1, object),
    );
    assert.equal(serve(cronJob, 'batch/v2alpha1', object).spec.timeZone, undefined);
    assert.equal(object.spec.timeZone, 'Europe/Berlin');
  });

  it('prints a row', () => {
    const { object } = create(cronJob, V1, body());
    assert.deepEqual(cells(cronJob, object), [
      'c',
      '*/5 * * * *',
      '<none>',
      'False',
      0,
      '<none>',
      '0s',
      'c',
      'i',
      '<none>',
    ]);
    object.status = { lastScheduleTime: '2026-01-02T03:00:00Z', active: [{}] };
    assert.deepEqual(cells(cronJob, object).slice(4, 6), [1, '4m5s']);
  });

  it('orphans its jobs through the old versions', () => {
    assert.deepEqual(
      [V1, V1BETA1].map((v) => cronJob.garbageCollectionDefault!(v)),
      ['background', 'orphan'],
    );
  });
});
