import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { TEMPLATE, workload } from '../workload-bodies.ts';
import { daemonSet } from './daemon-set.ts';

const V1 = 'apps/v1';
const V1BETA2 = 'apps/v1beta2';
const EXTENSIONS = 'extensions/v1beta1';
const COUNT = 'deprecated.daemonset.template.generation';

const rolling = (rollingUpdate: object) => create(daemonSet, V1, workload({ updateStrategy: { rollingUpdate } })).texts;

describe('daemon set', () => {
  it('rolls its updates out by default, except in extensions/v1beta1', () => {
    for (const version of [V1, V1BETA2]) {
      const { spec } = create(daemonSet, version, workload()).as(version);
      assert.deepEqual(spec.updateStrategy, {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
      });
      assert.equal(spec.revisionHistoryLimit, 10);
    }
    const { spec } = create(daemonSet, EXTENSIONS, { metadata: { name: 'x' }, spec: { template: TEMPLATE } }).as(
      EXTENSIONS,
    );
    assert.deepEqual(spec.updateStrategy, { type: 'OnDelete' });
    assert.deepEqual(spec.selector, { matchLabels: { app: 'a' } });
    assert.equal(spec.templateGeneration, 1);
  });

  it('refuses a missing and an empty selector', () => {
    assert.deepEqual(create(daemonSet, V1, workload({ selector: null })).texts, [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ]);
    assert.deepEqual(create(daemonSet, V1, workload({ selector: {} })).texts, [
      'spec.selector: Invalid value: {}: ' + 'empty selector is invalid for daemonset',
    ]);
  });

  it('requires exactly one of surge and unavailability', () => {
    const path = 'spec.updateStrategy.rollingUpdate';
    assert.deepEqual(rolling({ maxUnavailable: 0 }), [
      `${path}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
    ]);
    assert.deepEqual(rolling({ maxSurge: '10%' }), [
      `${path}.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero`,
    ]);
    assert.deepEqual(rolling({ maxUnavailable: -1 }), [
      `${path}.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`,
    ]);
    assert.deepEqual(create(daemonSet, V1, workload({ updateStrategy: { type: 'Never' } })).texts, [
      'spec.updateStrategy: Unsupported value: {"Type":"Never","RollingUpdate":null}: ' +
        'supported values: "RollingUpdate", "OnDelete"',
    ]);
  });

  it('runs its pods always', () => {
    const template = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'OnFailure', activeDeadlineSeconds: 1 } };
    assert.deepEqual(create(daemonSet, V1, workload({ template })).texts, [
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
    ]);
  });

  describe('template generation', () => {
    it('counts changes of the template and nothing else', () => {
      const old = stored(daemonSet, V1, workload());
      assert.equal(old.metadata.annotations[COUNT], '1');
      const label = update(daemonSet, V1, old, (d) => {
        d.metadata.labels = { new: 'label' };
        delete d.metadata.annotations;
      }).object;
      assert.deepEqual([label.metadata.annotations[COUNT], label.metadata.generation], ['1', 1]);
      const history = update(daemonSet, V1, old, (d) => {
        d.spec.revisionHistoryLimit = 3;
        d.metadata.annotations[COUNT] = '77';
      }).object;
      assert.deepEqual([history.metadata.annotations[COUNT], history.metadata.generation], ['1', 2]);
      const image = update(daemonSet, V1, old, (d) => {
        d.spec.template.spec.containers[0].image = 'i';
      }).object;
      assert.deepEqual([image.metadata.annotations[COUNT], image.metadata.generation], ['2', 2]);
    });

    it('is a field in extensions/v1beta1', () => {
      const old = stored(daemonSet, EXTENSIONS, workload({ templateGeneration: 4 }));
      assert.equal(serve(daemonSet, V1, old).metadata.annotations[COUNT], '4');
      assert.equal(serve(daemonSet, EXTENSIONS, old).metadata.annotations, undefined);
      const { object } = update(daemonSet, EXTENSIONS, old, (d) => {
        d.spec.template.spec.containers[0].image = 'i';
      });
      assert.equal(serve(daemonSet, EXTENSIONS, object).spec.templateGeneration, 5);
    });

    it('is a number', () => {
      assert.throws(() => decode(daemonSet, V1, workload({}, { annotations: { [COUNT]: 'x' } })), {
        message: 'strconv.ParseInt: parsing "x": invalid syntax',
      });
      assert.throws(
        () => decode(daemonSet, V1, workload({}, { annotations: { [COUNT]: '9223372036854775808' } })),
        /value out of range/,
      );
    });
  });

  it('refuses another selector in updates, except through extensions/v1beta1', () => {
    const change = (d: { spec: { selector: object } }) => {
      d.spec.selector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] };
    };
    assert.match(
      update(daemonSet, V1, stored(daemonSet, V1, workload()), change).texts.join(),
      /^spec.selector: .*: field is immutable$/,
    );
    assert.deepEqual(update(daemonSet, EXTENSIONS, stored(daemonSet, V1, workload()), change).texts, []);
  });

  it('checks the status', () => {
    const old = update(
      daemonSet,
      V1,
      stored(daemonSet, V1, workload()),
      (d) => {
        d.status.collisionCount = 2;
      },
      { subresource: 'status' },
    ).object;
    const { texts } = update(
      daemonSet,
      V1,
      old,
      (d) => {
        d.status = { numberReady: -1, collisionCount: 1 };
      },
      { subresource: 'status' },
    );
    assert.deepEqual(texts, [
      'status.numberReady: Invalid value: -1: must be greater than or equal to 0',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
  });

  it('survives every version unchanged', () => {
    const { object } = create(
      daemonSet,
      V1,
      workload({ minReadySeconds: 4 }, { labels: { l: 'm' }, annotations: { a: 'b' } }),
    );
    for (const version of [V1BETA2, EXTENSIONS]) {
      assert.deepEqual(
        serve(daemonSet, V1, decode(daemonSet, version, serve(daemonSet, version, object))),
        serve(daemonSet, V1, object),
      );
    }
  });

  it('prints a row', () => {
    const { object } = create(daemonSet, V1, workload());
    assert.deepEqual(cells(daemonSet, object), [
      'x',
      0,
      0,
      0,
      0,
      0,
      '<none>',
      '0s',
      'c',
      'registry.example/app:1',
      'app=a',
    ]);
  });
});
