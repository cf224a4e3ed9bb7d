import assert from 'node:assert/strict';
import { cells, create, TEST_NOW, update } from '../../kind-testing.ts';
import { persistentVolume } from './persistent-volume.ts';

const BASE = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };

function made(spec: object, metadata: object = {}): ReturnType<typeof create> {
  return create(persistentVolume, 'v1', { metadata: { name: 'pv', ...metadata }, spec });
}

function stored(spec: object): ReturnType<typeof create>['object'] {
  const { object, texts } = made(spec);
  assert.deepEqual(texts, []);
  object.metadata.resourceVersion = '1';
  return object;
}

const AFFINITY = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } };

describe('persistentvolumes', () => {
  it('sets defaults', () => {
    const created = made({ ...BASE, hostPath: { path: '/data' } });
    assert.deepEqual(created.texts, []);
    assert.deepEqual(created.as('v1').spec, {
      ...BASE,
      hostPath: { path: '/data', type: '' },
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
    assert.deepEqual(created.as('v1').status, { phase: 'Pending', lastPhaseTransitionTime: TEST_NOW });
    assert.equal(
      made({ ...BASE, iscsi: { targetPortal: 'a', iqn: 'iqn.2020-01.a:b', lun: 1 } }).object.spec.iscsi.iscsiInterface,
      'default',
    );
    assert.equal(made({ ...BASE, rbd: { monitors: ['a'], image: 'i' } }).object.spec.rbd.pool, 'rbd');
  });

  it('wants modes, capacity and a source', () => {
    assert.deepEqual(made({}).texts, [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ]);
  });

  it('checks the simple fields', () => {
    assert.deepEqual(
      made({
        capacity: { storage: '-1' },
        accessModes: ['Own', 'ReadWriteOncePod', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Keep',
        nodeAffinity: {},
        nfs: { server: 's', path: '/' },
        storageClassName: 'A',
        volumeMode: 'Tape',
        volumeAttributesClassName: 'gold',
      }).texts.map((t) => t.replace(/: a lowercase.*/, '')),
      [
        'spec.accessModes: Unsupported value: "Own": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
        'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
        'spec.nodeAffinity.required: Required value: must specify required node constraints',
        'spec.storageClassName: Invalid value: "A"',
        'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
        'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
      ],
    );
  });

  const sources: [source: object, causes: string[]][] = [
    [
      { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      { nfs: { server: 's', path: '/' }, hostPath: { path: '/a' } },
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      { local: { path: '' } },
      ['spec.local.path: Required value', 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      { local: { path: '/a/../b' }, nodeAffinity: AFFINITY },
      ['spec.local.path: Invalid value: "/a/../b": must not contain \'..\''],
    ],
    [
      { csi: { driver: '', volumeHandle: '', nodePublishSecretRef: {} } },
      [
        'spec.csi.driver: Required value',
        'spec.csi.driver: Invalid value: ""',
        'spec.csi.volumeHandle: Required value',
        'spec.csi.nodePublishSecretRef.name: Required value',
        'spec.csi.nodePublishSecretRef.namespace: Required value',
      ],
    ],
    [
      { azureFile: { secretName: 'a', shareName: 'b', secretNamespace: '' } },
      ['spec.azureFile.secretNamespace: Required value'],
    ],
    [
      { glusterfs: { endpoints: 'a', path: 'b', endpointsNamespace: '' } },
      [
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    [{ cinder: { volumeID: 'a', secretRef: { name: 'b' } } }, ['spec.cinder.secretRef.namespace: Required value']],
    [
      { storageos: { volumeName: 'a', secretRef: { name: 'b' } } },
      ['spec.storageos.secretRef.namespace: Required value'],
    ],
    [
      { iscsi: { targetPortal: 'x'.repeat(70), iqn: 'b', lun: 1, initiatorName: 'iqn.2020-01.a:c', secretRef: {} } },
      [
        `spec.iscsi.targetportal: Invalid value: "${'x'.repeat(70)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
        'spec.iscsi.iqn: Invalid value: "b": must be valid format',
        'spec.iscsi.secretRef.name: Required value',
      ],
    ],
    [
      { nfs: { server: 's', path: '/' }, flexVolume: { driver: '' }, local: { path: '/a' } },
      ['spec.flexVolume.driver: Required value', 'spec.local: Forbidden: may not specify more than 1 volume type'],
    ],
  ];
  for (const [source, causes] of sources) {
    it(`checks ${Object.keys(source).join(' with ')}`, () => {
      assert.deepEqual(
        made({ ...BASE, ...source }).texts.map((t) => t.replace(/: a lowercase.*/, '')),
        causes,
      );
    });
  }

  it('takes mount options by annotation for some sources', () => {
    const metadata = { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } };
    assert.deepEqual(made({ ...BASE, nfs: { server: 's', path: '/' } }, metadata).texts, []);
    assert.deepEqual(made({ ...BASE, hostPath: { path: '/a' } }, metadata).texts, [
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ]);
  });

  it('keeps source, mode and affinity', () => {
    const old = stored({ ...BASE, nfs: { server: 's', path: '/p' } });
    assert.deepEqual(update(persistentVolume, 'v1', old, (o) => void (o.spec.nfs.path = '/q')).texts, [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ]);
    assert.deepEqual(update(persistentVolume, 'v1', old, (o) => void (o.spec.nodeAffinity = AFFINITY)).texts, []);
    assert.deepEqual(update(persistentVolume, 'v1', old, (o) => void (o.spec.volumeMode = 'Block')).texts, [
      'volumeMode: Invalid value: "Block": field is immutable',
    ]);
    const fixed = stored({ ...BASE, nfs: { server: 's', path: '/p' }, nodeAffinity: AFFINITY });
    assert.match(
      update(persistentVolume, 'v1', fixed, (o) => void delete o.spec.nodeAffinity).texts.join(),
      /^nodeAffinity: Invalid value: null: field is immutable$/,
    );
    assert.equal(
      update(persistentVolume, 'v1', old, (o) => void (o.metadata.labels = { 'bad key!': '' })).texts.length,
      4,
    );
  });

  it('allows a CSI volume to get its first secret for expansion', () => {
    const old = stored({ ...BASE, csi: { driver: 'd', volumeHandle: 'h' } });
    const given = update(
      persistentVolume,
      'v1',
      old,
      (o) => void (o.spec.csi.controllerExpandSecretRef = { name: 'a', namespace: 'b' }),
    );
    assert.deepEqual(given.texts, []);
    assert.equal(
      update(persistentVolume, 'v1', given.object, (o) => void (o.spec.csi.controllerExpandSecretRef.name = 'c')).texts
        .length,
      1,
    );
  });

  it('prints rows', () => {
    const old = stored({
      ...BASE,
      accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
      nfs: { server: 's', path: '/p' },
      claimRef: { namespace: 'n', name: 'c' },
      storageClassName: 'fast',
    });
    assert.deepEqual(cells(persistentVolume, old), [
      'pv',
      '1Gi',
      'RWO,RWX',
      'Retain',
      'Pending',
      'n/c',
      'fast',
      '<unset>',
      '',
      '0s',
      'Filesystem',
    ]);
    old.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    assert.equal(cells(persistentVolume, old)[4], 'Terminating');
  });

  it('splits spec and status', () => {
    const old = stored({ ...BASE, nfs: { server: 's', path: '/p' } });
    const change = (o: { spec: object; status: object }): void => {
      Object.assign(o.spec, { storageClassName: 'x' });
      Object.assign(o.status, { phase: 'Bound' });
    };
    assert.equal(update(persistentVolume, 'v1', old, change).object.status.phase, 'Pending');
    const status = update(persistentVolume, 'v1', old, change, { subresource: 'status' });
    assert.deepEqual(
      [status.object.status.phase, status.object.spec.storageClassName, status.texts],
      ['Bound', undefined, []],
    );
  });

  it('warns of features that no longer work', () => {
    const old = stored({ ...BASE, rbd: { monitors: ['m'], image: 'i' }, persistentVolumeReclaimPolicy: 'Recycle' });
    old.metadata.annotations = { 'volume.beta.kubernetes.io/storage-class': 'c' };
    assert.deepEqual(
      persistentVolume.warnings!(old, undefined).map((text) => text.slice(0, 60)),
      [
        'metadata.annotations[volume.beta.kubernetes.io/storage-class]',
        'spec.persistentVolumeReclaimPolicy: The Recycle reclaim poli',
        'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
      ].map((text) => text.slice(0, 60)),
    );
  });

  it('notes when its phase changes', () => {
    const old = stored({ ...BASE, nfs: { server: 's', path: '/p' } });
    assert.equal(old.status.lastPhaseTransitionTime, TEST_NOW);
    old.status.lastPhaseTransitionTime = '2025-01-01T00:00:00Z';
    const after = (status: object): unknown =>
      update(persistentVolume, 'v1', old, (o) => void (o.status = status), { subresource: 'status' }).object.status
        .lastPhaseTransitionTime;
    assert.deepEqual(
      [after({ phase: 'Bound' }), after({ phase: 'Bound', lastPhaseTransitionTime: '2025-01-01T00:00:00Z' })],
      [TEST_NOW, TEST_NOW],
    );
    assert.equal(after({ phase: 'Bound', lastPhaseTransitionTime: '2025-02-02T00:00:00Z' }), '2025-02-02T00:00:00Z');
    assert.equal(after({ phase: 'Pending', message: 'm' }), '2025-01-01T00:00:00Z');
  });
});
