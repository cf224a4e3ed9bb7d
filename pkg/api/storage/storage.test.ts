import assert from 'node:assert/strict';
import { cells, create, serve, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { csiDriver } from './csi-driver/csi-driver.ts';
import { csiNode } from './csi-node/csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity/csi-storage-capacity.ts';
import { storageClass } from './storage-class/storage-class.ts';
import { STORAGE_V1 } from './storage-group.ts';
import { volumeAttachment } from './volume-attachment/volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class/volume-attributes-class.ts';

const BETA = 'storage.k8s.io/v1beta1';
const metadata = { name: 'x' };
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('storage class', () => {
  it('is filled in and printed', () => {
    for (const version of [STORAGE_V1, BETA]) {
      const { object } = create(storageClass, version, { metadata, provisioner: 'example.com/disk' });
      assert.deepEqual(cells(storageClass, object), ['x', 'example.com/disk', 'Delete', 'Immediate', false, '0s']);
      object.metadata.annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      assert.equal(cells(storageClass, object)[0], 'x (default)');
    }
  });

  it('refuses what is missing, unknown or repeated', () => {
    assert.deepEqual(create(storageClass, STORAGE_V1, { metadata }).texts, ['provisioner: Required value']);
    const term = { matchLabelExpressions: [{ key: 'zone', values: ['a', 'a'] }] };
    assert.deepEqual(
      create(storageClass, STORAGE_V1, {
        metadata,
        provisioner: 'p',
        reclaimPolicy: 'Recycle',
        volumeBindingMode: 'Never',
        allowedTopologies: [term, { matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
      }).texts,
      [
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"',
        'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      ],
    );
    const duplicate = (i: number): string => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`;
    assert.deepEqual(
      create(storageClass, STORAGE_V1, { metadata, provisioner: 'p', allowedTopologies: [{}, term, {}] }).texts.filter(
        (text) => !text.includes('values'),
      ),
      [duplicate(0), duplicate(0), duplicate(0), duplicate(2), duplicate(2), duplicate(2), duplicate(2)],
    );
    const many = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, '']));
    assert.deepEqual(create(storageClass, STORAGE_V1, { metadata, provisioner: 'p', parameters: many }).texts, [
      'parameters: Too long: must have at most 512 bytes',
    ]);
  });

  it('hardly changes', () => {
    const object = stored(storageClass, STORAGE_V1, { metadata, provisioner: 'p' });
    assert.deepEqual(update(storageClass, STORAGE_V1, object, (c) => (c.allowVolumeExpansion = true)).texts, []);
    assert.deepEqual(
      update(storageClass, STORAGE_V1, object, (c) => {
        Object.assign(c, {
          provisioner: 'q',
          parameters: { a: 'b' },
          reclaimPolicy: 'Retain',
          volumeBindingMode: 'WaitForFirstConsumer',
        });
      }).texts,
      [
        'parameters: Forbidden: updates to parameters are forbidden.',
        'provisioner: Forbidden: updates to provisioner are forbidden.',
        'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ],
    );
  });
});

describe('volume attachment', () => {
  const spec = { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } };

  it('is checked more strictly through v1', () => {
    assert.deepEqual(create(volumeAttachment, STORAGE_V1, { metadata }).texts, [
      'spec.attacher: Required value',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": ${SUBDOMAIN}`,
      'spec.attacher: Required value',
      `spec.attacher: Invalid value: "": ${SUBDOMAIN}`,
    ]);
    const slash = { ...spec, attacher: 'example.com/a' };
    assert.deepEqual(create(volumeAttachment, STORAGE_V1, { metadata, spec: slash }).texts, [
      `spec.attacher: Invalid value: "example.com/a": ${SUBDOMAIN}`,
    ]);
    assert.deepEqual(create(volumeAttachment, BETA, { metadata, spec: slash }).texts, []);
  });

  it('takes an inline volume of a CSI driver', () => {
    const inline = (inlineVolumeSpec: object): string[] => {
      return create(volumeAttachment, STORAGE_V1, { metadata, spec: { ...spec, source: { inlineVolumeSpec } } }).texts;
    };
    const csi = { driver: 'd.example.com', volumeHandle: 'h' };
    assert.deepEqual(inline({ accessModes: ['ReadWriteOnce'], csi }), []);
    assert.deepEqual(
      inline({ capacity: { storage: '1Gi' }, csi, storageClassName: 'c', persistentVolumeReclaimPolicy: 'Delete' }).map(
        (text) => text.split(':')[0],
      ),
      ['capacity', 'accessModes', 'persistentVolumeReclaimPolicy', 'storageClassName'].map(
        (name) => `spec.source.inlineVolumeSpec.${name}`,
      ),
    );
  });

  it('keeps its spec, and its metadata on the status path', () => {
    const object = stored(volumeAttachment, STORAGE_V1, { metadata, spec });
    assert.match(
      update(volumeAttachment, STORAGE_V1, object, (a) => (a.spec.nodeName = 'm')).texts.at(-1)!,
      /^spec: Invalid value: .*: field is immutable$/,
    );
    const changed = update(
      volumeAttachment,
      STORAGE_V1,
      object,
      (a) => {
        a.metadata.labels = { a: 'b' };
        a.status.attached = true;
      },
      { subresource: 'status' },
    );
    assert.deepEqual(changed.texts, []);
    assert.equal(changed.object.metadata.labels, undefined);
    assert.deepEqual(cells(volumeAttachment, changed.object), ['x', 'a.example.com', 'pv', 'n', true, '0s']);
    const message = 'x'.repeat(1025);
    assert.deepEqual(
      update(volumeAttachment, STORAGE_V1, object, (a) => (a.status.attachError = { message }), {
        subresource: 'status',
      }).texts.slice(0, 1),
      ['status.attachError.message: Too long: must have at most 262144 bytes'],
    );
  });
});

describe('CSI driver', () => {
  it('is filled in and printed', () => {
    const object = stored(csiDriver, STORAGE_V1, { metadata, spec: {} });
    assert.deepEqual(object.spec, {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    });
    assert.deepEqual(cells(csiDriver, object), ['x', true, false, false, '<unset>', false, 'Persistent', '0s']);
    assert.equal(object.metadata.generation, undefined);
    assert.equal(
      update(csiDriver, STORAGE_V1, object, (d) => (d.spec.requiresRepublish = true)).object.metadata.generation,
      1,
    );
  });

  it('refuses unknown modes, odd token requests and late changes', () => {
    const spec = {
      volumeLifecycleModes: ['Eternal'],
      fsGroupPolicy: 'X',
      tokenRequests: [{ audience: 'a', expirationSeconds: 1 }, { audience: 'a' }],
    };
    assert.deepEqual(create(csiDriver, STORAGE_V1, { metadata, spec }).texts, [
      'spec.fsGroupPolicy: Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"',
    ]);
    const object = stored(csiDriver, STORAGE_V1, { metadata, spec: {} });
    assert.deepEqual(
      update(csiDriver, STORAGE_V1, object, (d) =>
        Object.assign(d.spec, { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] }),
      ).texts,
      [
        'spec.attachedRequired: Invalid value: false: field is immutable',
        'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
      ],
    );
    const again = 'spec.tokenRequests[1].audience: Duplicate value: "a"';
    assert.deepEqual(
      update(csiDriver, STORAGE_V1, object, (d) => (d.spec.tokenRequests = [{ audience: 'a' }, { audience: 'a' }]))
        .texts,
      [again],
    );
    assert.deepEqual(
      update(csiDriver, STORAGE_V1, object, (d) =>
        Object.assign(d.spec, { podInfoOnMount: true, fsGroupPolicy: 'File' }),
      ).texts,
      [],
    );
    assert.deepEqual(create(csiDriver, STORAGE_V1, { metadata, spec: { serviceAccountTokenInSecrets: true } }).texts, [
      'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    ]);
  });
});

describe('CSI node', () => {
  const driver = { name: 'd.example.com', nodeID: 'n' };

  it('counts drivers', () => {
    const object = stored(csiNode, BETA, { metadata, spec: { drivers: [driver] } });
    assert.deepEqual(serve(csiNode, STORAGE_V1, object).spec.drivers, [{ ...driver, topologyKeys: null }]);
    assert.deepEqual(cells(csiNode, object), ['x', 1, '0s']);
  });

  it('refuses bad drivers and changes of drivers', () => {
    assert.deepEqual(
      create(csiNode, STORAGE_V1, {
        metadata,
        spec: {
          drivers: [driver, { ...driver, nodeID: '', allocatable: { count: -1 }, topologyKeys: ['a', 'a', 'b/'] }],
        },
      }).texts.map((text) => text.replace(/part must.*/, '...')),
      [
        'spec.drivers[1].nodeID: Required value',
        'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
        'spec.drivers[1].name: Duplicate value: "d.example.com"',
        'spec.drivers[1]: Duplicate value: "a"',
        'spec.drivers[1]: Invalid value: "b/": name ...',
        'spec.drivers[1]: Invalid value: "b/": name ...',
      ],
    );
    const object = stored(csiNode, STORAGE_V1, { metadata, spec: { drivers: [driver] } });
    assert.deepEqual(
      update(csiNode, STORAGE_V1, object, (n) => n.spec.drivers.push({ name: 'e.example.com', nodeID: 'n' })).texts,
      [],
    );
    assert.match(
      update(csiNode, STORAGE_V1, object, (n) => (n.spec.drivers[0].nodeID = 'm')).texts[0]!,
      /^CSINodeDriver: Invalid value: .*: field is immutable$/,
    );
  });
});

describe('storage capacity and attributes', () => {
  it('keeps what a capacity is about', () => {
    const object = stored(csiStorageCapacity, STORAGE_V1, { metadata, storageClassName: 'c', capacity: '1Gi' });
    assert.deepEqual(cells(csiStorageCapacity, object), ['x', 'c', '1Gi']);
    assert.deepEqual(update(csiStorageCapacity, STORAGE_V1, object, (c) => (c.storageClassName = 'd')).texts, [
      'storageClassName: Invalid value: "d": field is immutable',
    ]);
    assert.deepEqual(
      create(csiStorageCapacity, STORAGE_V1, { metadata, storageClassName: 'c', capacity: '-1' }).texts,
      ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
    );
  });

  it('keeps the attributes of a class', () => {
    assert.deepEqual(create(volumeAttributesClass, STORAGE_V1, { metadata }).texts, [
      'driverName: Required value',
      'parameters: Required value: must contain at least one key/value pair',
    ]);
    const object = stored(volumeAttributesClass, BETA, { metadata, driverName: 'd', parameters: { a: 'b' } });
    assert.deepEqual(cells(volumeAttributesClass, object), ['x', 'd', '0s']);
    assert.deepEqual(update(volumeAttributesClass, STORAGE_V1, object, (c) => (c.parameters.a = 'c')).texts, [
      'parameters: Invalid value: {"a":"c"}: field is immutable',
    ]);
  });
});
