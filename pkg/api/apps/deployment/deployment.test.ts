import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { TEMPLATE, workload } from '../workload-bodies.ts';
import { deployment } from './deployment.ts';
import { applyDeploymentRollback, rollbackAccepted, validateDeploymentRollback } from './rollback.ts';

const V1 = 'apps/v1';
const V1BETA1 = 'apps/v1beta1';
const V1BETA2 = 'apps/v1beta2';
const EXTENSIONS = 'extensions/v1beta1';

function errorsOf(spec: object): string[] {
  return create(deployment, V1, workload(spec)).texts;
}

describe('deployment', () => {
  describe('defaults', () => {
    const expected = {
      [V1]: { max: '25%', history: 10, deadline: 600 },
      [V1BETA2]: { max: '25%', history: 10, deadline: 600 },
      [V1BETA1]: { max: '25%', history: 2, deadline: 600 },
      [EXTENSIONS]: { max: 1, history: 2147483647, deadline: 2147483647 },
    };
    for (const [version, { max, history, deadline }] of Object.entries(expected)) {
      it(`sets the numbers of ${version}`, () => {
        const { spec } = create(deployment, version, workload()).as(version);
        assert.equal(spec.replicas, 1);
        assert.deepEqual(spec.strategy, {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: max, maxSurge: max },
        });
        assert.equal(spec.revisionHistoryLimit, history);
        assert.equal(spec.progressDeadlineSeconds, deadline);
        assert.equal(spec.template.spec.containers[0].imagePullPolicy, 'IfNotPresent');
      });
    }

    it('keeps the given part of a rolling update', () => {
      const { spec } = create(deployment, V1, workload({ strategy: { rollingUpdate: { maxSurge: 2 } } })).object;
      assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 2, maxUnavailable: '25%' });
    });

    for (const version of [V1BETA1, EXTENSIONS]) {
      it(`takes selector and labels from the template in ${version}`, () => {
        const { object, texts } = create(deployment, version, {
          metadata: { name: 'x' },
          spec: { template: TEMPLATE },
        });
        assert.deepEqual(texts, []);
        assert.deepEqual(object.spec.selector, { matchLabels: { app: 'a' } });
        assert.deepEqual(object.metadata.labels, { app: 'a' });
        assert.notEqual(object.metadata.labels, object.spec.template.metadata.labels);
      });
    }
  });

  describe('validation', () => {
    const cases: [string, object, string[]][] = [
      [
        'no selector',
        { selector: null },
        [
          'spec.selector: Required value',
          'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
        ],
      ],
      [
        'empty selector',
        { selector: {} },
        ['spec.selector: Invalid value: {}: ' + 'empty selector is invalid for deployment'],
      ],
      [
        'selector that matches nothing of the template',
        { selector: { matchLabels: { app: 'b' } } },
        ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
      ],
      [
        'negative numbers',
        { replicas: -1, minReadySeconds: -2, revisionHistoryLimit: -3 },
        [
          'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
          'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
          'spec.revisionHistoryLimit: Invalid value: -3: must be greater than or equal to 0',
        ],
      ],
      [
        'both steps zero',
        { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
      ],
      [
        'more than all unavailable',
        { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
      ],
      [
        'a text that is no percentage',
        { strategy: { rollingUpdate: { maxSurge: 'many' } } },
        [
          'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": a valid percent string must be a ' +
            "numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ],
      ],
      [
        'recreate with steps',
        { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
        ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
      ],
      [
        'unknown strategy',
        { strategy: { type: 'Sideways' } },
        [
          'spec.strategy: Unsupported value: {"Type":"Sideways","RollingUpdate":null}: supported values: ' +
            '"Recreate", "RollingUpdate"',
        ],
      ],
      [
        'deadline before readiness',
        { minReadySeconds: 5, progressDeadlineSeconds: 5 },
        ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
      ],
      [
        'pods that end',
        { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
        [
          'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
          'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
        ],
      ],
      [
        'a writable disk shared by pods',
        {
          replicas: 2,
          template: {
            ...TEMPLATE,
            spec: { ...TEMPLATE.spec, volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'd' } }] },
          },
        },
        [
          'spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be true for replicated pods > 1; GCE PD can only be mounted ' +
            'on multiple machines if it is read-only',
        ],
      ],
    ];
    for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));
  });

  describe('updates', () => {
    const old = () => stored(deployment, V1, workload());
    const changeSelector = (served: any) => {
      served.spec.selector = { matchLabels: { app: 'b' } };
      served.spec.template.metadata.labels = { app: 'b' };
    };

    it('counts generations of spec and annotations, not of labels', () => {
      assert.equal(
        update(deployment, V1, old(), (d) => {
          d.spec.replicas = 5;
        }).object.metadata.generation,
        2,
      );
      assert.equal(
        update(deployment, V1, old(), (d) => {
          d.metadata.annotations = { a: 'b' };
        }).object.metadata.generation,
        2,
      );
      assert.equal(
        update(deployment, V1, old(), (d) => {
          d.metadata.labels = { a: 'b' };
        }).object.metadata.generation,
        1,
      );
    });

    it('refuses another selector, except through the oldest versions', () => {
      const immutable = 'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable';
      for (const version of [V1, V1BETA2])
        assert.deepEqual(update(deployment, version, old(), changeSelector).texts, [immutable]);
      for (const version of [V1BETA1, EXTENSIONS])
        assert.deepEqual(update(deployment, version, old(), changeSelector).texts, []);
    });

    it('names a bad label as often as stock servers do', () => {
      assert.equal(
        update(deployment, V1, old(), (d) => {
          d.metadata.labels = { 'bad key!': 'x' };
        }).texts.length,
        3,
      );
    });

    it('changes only the status through the status path', () => {
      const { object, texts } = update(
        deployment,
        V1,
        old(),
        (d) => {
          d.spec.replicas = 50;
          d.metadata.labels = { a: 'b' };
          d.status = { replicas: 4, observedGeneration: 3 };
        },
        { subresource: 'status' },
      );
      assert.deepEqual(texts, []);
      assert.equal(object.spec.replicas, 1);
      assert.equal(object.metadata.labels, undefined);
      assert.deepEqual(object.status, { replicas: 4, observedGeneration: 3 });
    });

    it('checks counts of the status', () => {
      const before = update(
        deployment,
        V1,
        old(),
        (d) => {
          d.status = { collisionCount: 2 };
        },
        { subresource: 'status' },
      ).object;
      const { texts } = update(
        deployment,
        V1,
        before,
        (d) => {
          d.status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
        },
        { subresource: 'status' },
      );
      assert.deepEqual(texts, [
        'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
        'status.collisionCount: Invalid value: 0: cannot be decremented',
      ]);
    });
  });

  describe('rollback', () => {
    it('is a field in the oldest versions and an annotation in the others', () => {
      const { object } = create(deployment, EXTENSIONS, workload({ rollbackTo: { revision: 7 } }));
      assert.equal(serve(deployment, V1, object).metadata.annotations['deprecated.deployment.rollback.to'], '7');
      for (const version of [V1BETA1, EXTENSIONS]) {
        const served = serve(deployment, version, object);
        assert.deepEqual(served.spec.rollbackTo, { revision: 7 });
        assert.equal(served.metadata.annotations, undefined);
      }
    });

    it('keeps revisions beyond 2^53', () => {
      const body = workload({}, { annotations: { 'deprecated.deployment.rollback.to': '9007199254740993' } });
      assert.deepEqual(create(deployment, V1, body).as(EXTENSIONS).spec.rollbackTo, { revision: 9007199254740993n });
    });

    it('refuses revisions that are no numbers or negative', () => {
      const body = (text: string) => workload({}, { annotations: { 'deprecated.deployment.rollback.to': text } });
      assert.throws(
        () => decode(deployment, V1, body('x')),
        /failed to parse annotation\[deprecated.deployment.rollback.to\]=x as int64: strconv.ParseInt: /,
      );
      assert.deepEqual(create(deployment, V1, body('-1')).texts, [
        'spec.rollback.version: Invalid value: -1: must be greater than or equal to 0',
      ]);
    });

    it('is requested by a separate body', () => {
      const { object } = create(deployment, V1, workload());
      const body = { name: 'x', updatedAnnotations: { why: 'broken' }, rollbackTo: { revision: 3 } };
      applyDeploymentRollback(object, body);
      assert.deepEqual(object.metadata.annotations, { why: 'broken', 'deprecated.deployment.rollback.to': '3' });
      assert.equal(rollbackAccepted('x').message, 'rollback request for deployment "x" succeeded');
      const errors = new FieldErrors();
      validateDeploymentRollback({ name: '', rollbackTo: { revision: -1 } }, errors);
      assert.deepEqual(errors.items.map(fieldErrorText), [
        'name: Required value',
        'rollback.version: Invalid value: -1: must be greater than or equal to 0',
      ]);
    });
  });

  it('survives every version unchanged', () => {
    const { object } = create(
      deployment,
      V1,
      workload({ replicas: 3, paused: true, minReadySeconds: 4 }, { labels: { l: 'm' } }),
    );
    for (const version of [V1BETA2, V1BETA1, EXTENSIONS]) {
      const again = decode(deployment, version, serve(deployment, version, object));
      assert.deepEqual(serve(deployment, V1, again), serve(deployment, V1, object));
    }
  });

  it('prints a row', () => {
    const spec = {
      replicas: 2,
      selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
    };
    const { object } = create(deployment, V1, workload(spec));
    assert.deepEqual(cells(deployment, object), [
      'x',
      '0/2',
      0,
      0,
      '0s',
      'c',
      'registry.example/app:1',
      'app=a,app in (a,b)',
    ]);
  });

  it('has a scale and old garbage collection defaults', () => {
    const { object } = create(deployment, V1, workload({ replicas: 3 }));
    const access = deployment.subresources!.find((s) => s.name === 'scale')!.scale!;
    assert.deepEqual(access.get(object), {
      specReplicas: 3,
      statusReplicas: 0,
      selector: 'app=a',
      matchLabels: { app: 'a' },
    });
    access.set(object, 9);
    assert.equal(object.spec.replicas, 9);
    assert.equal(deployment.garbageCollectionDefault!(V1), 'background');
    for (const version of [V1BETA2, V1BETA1, EXTENSIONS])
      assert.equal(deployment.garbageCollectionDefault!(version), 'orphan');
  });
});
