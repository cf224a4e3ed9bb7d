import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';

const BASE = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const IMMUTABLE =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function made(spec: object, annotations?: object): ReturnType<typeof create> {
  return create(persistentVolumeClaim, 'v1', { metadata: { name: 'c', annotations }, spec });
}

function stored(spec: object, phase = 'Pending', annotations?: object): ReturnType<typeof create>['object'] {
  const { object, texts } = made(spec, annotations);
  assert.deepEqual(texts, []);
  object.metadata.resourceVersion = '1';
  object.status.phase = phase;
  return object;
}

// `any`: the claim as it is served, in its JSON shape.
// eslint-disable-next-line typescript/no-explicit-any
type Change = (claim: any) => void;

/** First lines: the rest names the difference. */
function causes(old: ReturnType<typeof stored>, change: Change): string[] {
  return update(persistentVolumeClaim, 'v1', old, change).texts.map((text) => text.split('\n')[0]!);
}

describe('persistentvolumeclaims', () => {
  it('sets defaults', () => {
    const created = made({ ...BASE, resources: { requests: { storage: '1.5Gi' } } });
    assert.deepEqual(created.texts, []);
    assert.deepEqual(created.as('v1').spec, {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1536Mi' } },
      volumeMode: 'Filesystem',
    });
    assert.deepEqual(created.as('v1').status, { phase: 'Pending' });
  });

  it('requires modes and a size', () => {
    assert.deepEqual(made({}).texts, [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ]);
  });

  it('keeps both data sources equal', () => {
    const claim = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'd' };
    const sources = (spec: object): unknown[] => {
      const { dataSource, dataSourceRef } = made({ ...BASE, ...spec }).object.spec;
      return [dataSource, dataSourceRef];
    };
    assert.deepEqual(sources({ dataSource: claim }), [claim, claim]);
    assert.deepEqual(sources({ dataSourceRef: { ...claim, apiGroup: 'example.com', kind: 'Own' } }), [
      { ...claim, apiGroup: 'example.com', kind: 'Own' },
      { ...claim, apiGroup: 'example.com', kind: 'Own' },
    ]);
    assert.deepEqual(sources({ dataSourceRef: { ...claim, namespace: 'n' } }), [
      undefined,
      { ...claim, namespace: 'n' },
    ]);
    assert.deepEqual(sources({ dataSource: { ...claim, apiGroup: 'example.com' } }), [undefined, undefined]);
    assert.equal(made({ ...BASE, dataSource: claim, dataSourceRef: { ...claim, name: 'e' } }).texts.length, 1);
    const old = stored({ ...BASE, dataSource: claim });
    delete old.spec.dataSourceRef;
    assert.deepEqual(
      causes(old, (o) => void (o.metadata.labels = { a: 'b' })),
      [],
    );
  });

  it('checks immutable fields', () => {
    assert.deepEqual(
      update(persistentVolumeClaim, 'v1', stored({ ...BASE, volumeName: 'a' }), (o) => void (o.spec.volumeName = 'b'))
        .texts,
      [`${IMMUTABLE}\n  spec.volumeName: "a" -> "b"`],
    );
  });

  it('is bound once', () => {
    const old = stored(BASE);
    assert.deepEqual(
      causes(old, (o) => void (o.spec.volumeName = 'pv')),
      [],
    );
    assert.deepEqual(
      causes(stored({ ...BASE, volumeName: 'a' }), (o) => void (o.spec.volumeName = 'b')),
      [IMMUTABLE],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.spec.accessModes = ['ReadWriteMany'])),
      [IMMUTABLE],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.spec.volumeMode = 'Block')),
      [IMMUTABLE, 'volumeMode: Invalid value: "Block": field is immutable'],
    );
  });

  it('grows when bound', () => {
    const resize =
      (storage: string) =>
      (o: { spec: { resources: object } }): void =>
        void (o.spec.resources = { requests: { storage } });
    assert.deepEqual(causes(stored(BASE, 'Bound'), resize('2Gi')), []);
    assert.deepEqual(causes(stored(BASE), resize('2Gi')), [IMMUTABLE]);
    const grown = stored({ ...BASE, resources: { requests: { storage: '5Gi' } } }, 'Bound');
    grown.status.capacity = { storage: '2Gi' };
    assert.deepEqual(causes(grown, resize('3Gi')), []);
    assert.deepEqual(causes(grown, resize('2Gi')), [
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  it('moves its class from the annotation to the spec, and changes it in no other way', () => {
    const old = stored(BASE, 'Pending', { 'volume.beta.kubernetes.io/storage-class': 'fast' });
    assert.deepEqual(
      causes(old, (o) => void (o.spec.storageClassName = 'fast')),
      [],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.spec.storageClassName = 'slow')),
      [IMMUTABLE],
    );
    assert.deepEqual(
      causes(old, (o) => void (o.metadata.annotations = {})),
      ['metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "": field is immutable'],
    );
  });

  it('gets a class later where it named none', () => {
    const choose =
      (name: string): Change =>
      (claim) =>
        void (claim.spec.storageClassName = name);
    assert.deepEqual(causes(stored(BASE), choose('fast')), []);
    assert.deepEqual(causes(stored({ ...BASE, storageClassName: '' }), choose('fast')), [IMMUTABLE]);
    assert.deepEqual(causes(stored({ ...BASE, storageClassName: 'slow' }), choose('fast')), [IMMUTABLE]);
  });

  it('lists a bad label as often as stock servers do', () => {
    assert.equal(causes(stored(BASE), (o) => void (o.metadata.labels = { 'bad key!': '' })).length, 5);
  });

  it('prints rows', () => {
    const claim = stored({ ...BASE, storageClassName: 'fast' });
    assert.deepEqual(cells(persistentVolumeClaim, claim), [
      'c',
      'Pending',
      '',
      '',
      '',
      'fast',
      '<unset>',
      '0s',
      'Filesystem',
    ]);
    Object.assign(claim.spec, { volumeName: 'pv' });
    claim.status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } };
    assert.deepEqual(cells(persistentVolumeClaim, claim), [
      'c',
      'Bound',
      'pv',
      '2Gi',
      'RWO',
      'fast',
      '<unset>',
      '0s',
      'Filesystem',
    ]);
  });

  it('is resized in known steps, of storage alone', () => {
    const old = stored({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } });
    const texts = (status: object): string[] =>
      update(persistentVolumeClaim, 'v1', old, (o) => Object.assign(o.status, status), { subresource: 'status' }).texts;
    assert.deepEqual(
      texts({
        allocatedResources: { storage: '3Gi', 'example.com/x': '1' },
        allocatedResourceStatuses: { storage: 'NodeResizePending', 'example.com/x': 'ControllerResizeInProgress' },
      }),
      [],
    );
    const known = [
      'ControllerResizeInProgress',
      'ControllerResizeInfeasible',
      'NodeResizeInProgress',
      'NodeResizeInfeasible',
      'NodeResizePending',
    ]
      .sort()
      .map((name) => `"${name}"`)
      .join(', ');
    assert.deepEqual(
      texts({
        allocatedResourceStatuses: { storage: 'Shrinking', cpu: 'NodeResizePending' },
        allocatedResources: { memory: '-1' },
      }),
      [
        'status.allocatedResourceStatus: Unsupported value: "cpu": supported values: "storage"',
        `status.allocatedResourceStatus: Unsupported value: "storage": supported values: ${known}`,
        'status.allocatedResources: Unsupported value: "memory": supported values: "storage"',
        'status.allocatedResources[memory]: Invalid value: -1: must be a valid resource quantity',
      ],
    );
  });

  it('splits spec and status', () => {
    const old = stored(BASE);
    const change: Change = (o) => {
      o.spec.volumeName = 'pv';
      o.status = { phase: 'Bound', capacity: { storage: '-1' } };
    };
    assert.equal(update(persistentVolumeClaim, 'v1', old, change).object.status.phase, 'Pending');
    const status = update(persistentVolumeClaim, 'v1', old, change, { subresource: 'status' });
    assert.deepEqual(status.texts, ['status.capacity[storage]: Invalid value: -1: must be a valid resource quantity']);
    assert.deepEqual([status.object.spec.volumeName, status.object.status.phase], [undefined, 'Bound']);
  });
});
