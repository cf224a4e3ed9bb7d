import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { TEMPLATE, workload } from '../workload-bodies.ts';
import { replicaSet } from './replica-set.ts';

const V1 = 'apps/v1';
const V1BETA2 = 'apps/v1beta2';
const EXTENSIONS = 'extensions/v1beta1';

describe('replica set', () => {
  it('wants one pod by default', () => {
    for (const version of [V1, V1BETA2, EXTENSIONS]) {
      const served = create(replicaSet, version, workload()).as(version);
      assert.equal(served.spec.replicas, 1);
      assert.equal(served.metadata.generation, 1);
      assert.deepEqual(served.status, { replicas: 0 });
    }
  });

  it('takes selector and labels from the template in extensions/v1beta1 alone', () => {
    const body = { metadata: { name: 'x' }, spec: { template: TEMPLATE } };
    assert.deepEqual(create(replicaSet, EXTENSIONS, body).as(V1).spec.selector, { matchLabels: { app: 'a' } });
    const problems = [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ];
    assert.deepEqual(create(replicaSet, V1, body).texts, problems);
    assert.deepEqual(create(replicaSet, V1BETA2, body).texts, problems);
  });

  it('refuses an empty selector and negative numbers', () => {
    assert.deepEqual(create(replicaSet, V1, workload({ selector: {}, replicas: -1, minReadySeconds: -1 })).texts, [
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.selector: Invalid value: {}: ' + 'empty selector is invalid for deployment',
    ]);
  });

  it('refuses a bad label, a bad count and another selector in updates', () => {
    const old = () => stored(replicaSet, V1, workload());
    assert.equal(
      update(replicaSet, V1, old(), (r) => {
        r.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      4,
    );
    const negative = 'spec.replicas: Invalid value: -2: must be greater than or equal to 0';
    assert.deepEqual(
      update(replicaSet, V1, old(), (r) => {
        r.spec.replicas = -2;
      }).texts,
      [negative, negative],
    );
    const selector = (r: { spec: { selector: object } }) => {
      r.spec.selector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] };
    };
    assert.deepEqual(update(replicaSet, V1BETA2, old(), selector).texts, [
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ]);
    assert.deepEqual(update(replicaSet, EXTENSIONS, old(), selector).texts, []);
  });

  it('checks the counts of the status', () => {
    const status = { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: -1, availableReplicas: 1 };
    const { texts } = update(
      replicaSet,
      V1,
      stored(replicaSet, V1, workload()),
      (r) => {
        r.status = status;
      },
      { subresource: 'status' },
    );
    assert.deepEqual(texts, [
      'status.readyReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
    ]);
  });

  it('survives every version unchanged', () => {
    const { object } = create(replicaSet, V1, workload({ replicas: 3, minReadySeconds: 4 }, { labels: { l: 'm' } }));
    for (const version of [V1BETA2, EXTENSIONS]) {
      assert.deepEqual(
        serve(replicaSet, V1, decode(replicaSet, version, serve(replicaSet, version, object))),
        serve(replicaSet, V1, object),
      );
    }
  });

  it('prints a row and has a scale', () => {
    const { object } = create(replicaSet, V1, workload({ replicas: 2 }));
    assert.deepEqual(cells(replicaSet, object), ['x', 2, 0, 0, '0s', 'c', 'registry.example/app:1', 'app=a']);
    const access = replicaSet.subresources!.find((s) => s.name === 'scale')!.scale!;
    assert.deepEqual(access.get(object), {
      specReplicas: 2,
      statusReplicas: 0,
      selector: 'app=a',
      matchLabels: { app: 'a' },
    });
  });
});
