import assert from 'node:assert/strict';
import { create } from '../../kind-testing.ts';
import { pod } from '../pod/pod.ts';

function problems(volumes: object[], container: object = {}): string[] {
  return create(pod, 'v1', {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 's', containers: [{ name: 'c', image: 'i', ...container }], volumes },
  }).texts.map((text) => text.replace(/^spec\./, ''));
}

/** A volume's source, and its errors below `volumes[0].`. */
const SOURCES: [source: object, texts: string[]][] = [
  [{}, []],
  [
    { emptyDir: { sizeLimit: '-1' } },
    ['emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  [{ hostPath: { path: '' } }, ['hostPath.path: Required value']],
  [
    { hostPath: { path: '/a/../b', type: 'Dir' } },
    [
      'hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
      'hostPath.type: Unsupported value: "Dir": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    { gitRepo: { repository: '', directory: '/x' } },
    ['gitRepo.repository: Required value', 'gitRepo.directory: Invalid value: "/x": must be a relative path'],
  ],
  [
    { gcePersistentDisk: { pdName: '', partition: 256 } },
    [
      'persistentDisk.pdName: Required value',
      'persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ],
  ],
  [{ awsElasticBlockStore: { volumeID: '' } }, ['awsElasticBlockStore.volumeID: Required value']],
  [
    { secret: { secretName: 's', defaultMode: 512, items: [{ key: '', path: '../x', mode: -1 }] } },
    [
      'secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'secret.items[0].key: Required value',
      'secret.items[0].path: Invalid value: "../x": must not contain \'..\'',
      'secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
    ],
  ],
  [
    { configMap: { items: [{ key: 'k', path: '..x' }] } },
    ['configMap.name: Required value', 'configMap.items[0].path: Invalid value: "..x": must not start with \'..\''],
  ],
  [
    { nfs: { server: '', path: 'x' } },
    ['nfs.server: Required value', 'nfs.path: Invalid value: "x": must be an absolute path'],
  ],
  [
    { iscsi: { targetPortal: '', iqn: 'bogus', lun: 256, chapAuthSession: true, initiatorName: 'iqn.x' } },
    [
      'iscsi.targetPortal: Required value',
      'iscsi.iqn: Invalid value: "bogus": must be valid format starting with iqn, eui, or naa',
      'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'iscsi.secretRef: Required value',
      'iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
    ],
  ],
  [{ iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:storage.disk1', lun: 0 } }, []],
  [{ flocker: {} }, ['flocker: Required value: one of datasetName and datasetUUID is required']],
  [{ rbd: { monitors: [], image: '' } }, ['rbd.monitors: Required value', 'rbd.image: Required value']],
  [
    { quobyte: { registry: 'a:1,b', volume: '' } },
    [
      'quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.volume: Required value',
    ],
  ],
  [
    {
      downwardAPI: {
        items: [
          { path: '/x', fieldRef: { fieldPath: 'spec.nodeName' } },
          { path: 'y' },
          { path: 'z', resourceFieldRef: { resource: 'limits.cpu' } },
        ],
      },
    },
    [
      'downwardAPI.path: Invalid value: "/x": must be a relative path',
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'downwardAPI.resourceFieldRef.containerName: Required value',
    ],
  ],
  [
    { fc: { targetWWNs: ['a'], wwids: ['b'] } },
    [
      'fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      'fc.lun: Required value: lun is required if targetWWNs is specified',
    ],
  ],
  [
    { flexVolume: { driver: 'd', options: { 'x.KUBERNETES.io/a': 'b' } } },
    [
      'flexVolume.options[x.KUBERNETES.io/a]: Invalid value: "x.KUBERNETES.io/a": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    { azureDisk: { diskName: 'd', diskURI: 'ftp://x', kind: 'Managed', cachingMode: 'Some' } },
    [
      'azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
      'azureDisk.diskURI: Unsupported value: "ftp://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [
    { csi: { driver: '', nodePublishSecretRef: {} } },
    [
      'csi.driver: Required value',
      "csi.driver: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
        "character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'csi.nodePublishSecretRef.name: Required value',
    ],
  ],
  [{ ephemeral: {} }, ['ephemeral.volumeClaimTemplate: Required value']],
  [
    { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x' }, spec: { accessModes: ['Mine'] } } } },
    [
      'ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Mine": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
  ],
  [{ image: { reference: '' } }, ['image.reference: Required value']],
  [
    { emptyDir: {}, hostPath: { path: '' }, cephfs: {} },
    [
      'hostPath: Forbidden: may not specify more than 1 volume type',
      'cephFS: Forbidden: may not specify more than 1 volume type',
    ],
  ],
];

describe('validation of volumes', () => {
  for (const [source, texts] of SOURCES) {
    it(`checks ${JSON.stringify(source)}`, () =>
      assert.deepEqual(
        problems([{ name: 'v', ...source }]),
        texts.map((text) => `volumes[0].${text}`),
      ));
  }

  it('checks names', () => {
    assert.deepEqual(problems([{ name: '' }, { name: 'a' }, { name: 'a' }]), [
      'volumes[0].name: Required value',
      'volumes[2].name: Duplicate value: "a"',
    ]);
  });

  it('checks projections', () => {
    const sources = [
      { serviceAccountToken: { path: '', expirationSeconds: 1 } },
      {
        secret: { name: 's', items: [{ key: 'a', path: 'x' }] },
        configMap: { name: 'm', items: [{ key: 'a', path: 'x' }] },
      },
      { clusterTrustBundle: { path: 'ca' } },
    ];
    assert.deepEqual(problems([{ name: 'v', projected: { sources } }]), [
      'volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'volumes[0].projected.path: Required value',
      'volumes[0].projected: Invalid value: "m": conflicting duplicate paths',
      'volumes[0].projected.sources[1]: Forbidden: may not specify more than 1 volume type',
      'volumes[0].projected.sources[2].clusterTrustBundle: Required value: either name or signerName must be specified',
    ]);
  });

  it('forbids claims that the pod itself makes', () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    assert.deepEqual(
      problems([
        { name: 'v', ephemeral: { volumeClaimTemplate: { spec } } },
        { name: 'w', persistentVolumeClaim: { claimName: 'p-v' } },
      ]),
      [
        'volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets created for an ephemeral volume',
      ],
    );
  });

  it('checks mounts and devices', () => {
    const container = {
      volumeMounts: [
        { name: 'none', mountPath: '/a' },
        { name: 'e', mountPath: '/a', subPath: '../x', mountPropagation: 'Bidirectional' },
        { name: 'e', mountPath: '', recursiveReadOnly: 'Enabled' },
      ],
      volumeDevices: [
        { name: 'e', devicePath: '/../x' },
        { name: 'd', devicePath: '/a' },
      ],
    };
    assert.deepEqual(
      problems(
        [
          { name: 'e', emptyDir: {} },
          { name: 'd', persistentVolumeClaim: { claimName: 'x' } },
        ],
        container,
      ),
      [
        'containers[0].volumeMounts[0].name: Not found: "none"',
        'containers[0].volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
        'containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
        'containers[0].volumeMounts[1].name: Invalid value: "e": must not already exist in volumeDevices',
        'containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
        'containers[0].volumeMounts.subPath: Invalid value: "../x": must not contain \'..\'',
        'containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
        'containers[0].volumeMounts[2].mountPath: Required value',
        'containers[0].volumeMounts[2].name: Invalid value: "e": must not already exist in volumeDevices',
        'containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
        'containers[0].volumeDevices[0].name: Invalid value: "e": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        'containers[0].volumeDevices[0].devicePath: Invalid value: "/../x": can not contain backsteps (\'..\')',
        'containers[0].volumeDevices[0].name: Invalid value: "e": must not already exist in volumeMounts',
        'containers[0].volumeDevices[1].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts',
      ],
    );
  });

  it('stays quick for long lists and texts', () => {
    const started = performance.now();
    const volumes = Array.from({ length: 5000 }, (_, i) => ({
      name: `v${i}`,
      projected: { sources: [{ secret: { name: 's', items: [{ key: 'k', path: 'p' }] } }] },
    }));
    assert.deepEqual(
      problems(volumes, { volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }),
      [],
    );
    problems([{ name: 'v', iscsi: { targetPortal: 'x', iqn: 'iqn.2001-04.a'.repeat(100_000), lun: 0 } }], {
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "a['".repeat(300_000) } } }],
    });
    assert.ok(performance.now() - started < 2000);
  });
});
