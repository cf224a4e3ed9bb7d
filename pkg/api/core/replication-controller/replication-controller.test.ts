import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { replicationController } from './replication-controller.ts';

const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };

function created(spec: object = { template: TEMPLATE }): any {
  const { object, texts } = create(replicationController, 'v1', { metadata: { name: 'x' }, spec });
  assert.deepEqual(texts, []);
  return object;
}

function problems(spec: object): string[] {
  return create(replicationController, 'v1', { metadata: { name: 'x' }, spec }).texts;
}

describe('replication controllers', () => {
  it('take selector, labels and count from elsewhere', () => {
    const { metadata, spec, status } = created();
    assert.deepEqual(
      [metadata.labels, metadata.generation, spec.selector, spec.replicas, status],
      [{ app: 'a' }, 1, { app: 'a' }, 1, { replicas: 0 }],
    );
  });

  it('are checked', () => {
    assert.deepEqual(problems({}), ['spec.selector: Required value', 'spec.template: Required value']);
    assert.deepEqual(
      problems({
        replicas: -1,
        minReadySeconds: -1,
        selector: { app: 'b' },
        template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', activeDeadlineSeconds: 1 } },
      }),
      [
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    );
    const disk = {
      ...TEMPLATE,
      spec: { ...TEMPLATE.spec, volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd' } }] },
    };
    assert.deepEqual(problems({ template: disk }), []);
    assert.match(
      problems({ replicas: 2, template: disk }).join('\n'),
      /^spec\.template\.spec\.volumes\[0\]\.gcePersistentDisk\.readOnly: Invalid value: false: must be true for replicated pods > 1; [^\n]*$/,
    );
    assert.deepEqual(
      problems({
        template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, ephemeralContainers: [{ name: 'e', image: 'i' }] } },
      }),
      ['spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template'],
    );
  });

  it('count their generations', () => {
    const old = created();
    assert.equal(
      update(replicationController, 'v1', old, (o) => {
        o.spec.replicas = 2;
      }).object.metadata.generation,
      2,
    );
    assert.equal(
      update(replicationController, 'v1', old, (o) => {
        o.metadata.labels.x = 'y';
      }).object.metadata.generation,
      1,
    );
  });

  it('list errors of metadata four times', () => {
    assert.equal(
      update(replicationController, 'v1', created(), (o) => {
        o.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      4,
    );
  });

  it('check their status', () => {
    const { object, texts } = update(
      replicationController,
      'v1',
      created(),
      (o) => {
        o.spec.replicas = 7;
        o.status = { replicas: 1, readyReplicas: 2, availableReplicas: 3, fullyLabeledReplicas: -1 };
      },
      { subresource: 'status' },
    );
    assert.equal(object.spec.replicas, 1);
    assert.deepEqual(texts, [
      'status.fullyLabeledReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
    ]);
  });

  it('scale', () => {
    const object = created();
    const { scale } = replicationController.subresources!.find((s) => s.name === 'scale')!;
    scale!.set(object, 5);
    assert.deepEqual(scale!.get(object), {
      specReplicas: 5,
      statusReplicas: 0,
      selector: 'app=a',
      matchLabels: { app: 'a' },
    });
  });

  it('print a row', () => {
    assert.deepEqual(cells(replicationController, created()), ['x', 1, 0, 0, '0s', 'c', 'i:1', 'app=a']);
  });

  it('orphan their pods', () => assert.equal(replicationController.garbageCollectionDefault!('v1'), 'orphan'));
});
