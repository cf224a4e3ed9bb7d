import assert from 'node:assert/strict';
import type { PodSpec } from '../../../generated/types/core-v1.ts';
import { decode } from '../../kind-testing.ts';
import { podTemplate } from '../pod-template/pod-template.ts';
import { setPodSpecDefaults } from './defaults.ts';

function defaulted(spec: object, metadata: object = {}): any {
  return decode(podTemplate, 'v1', { template: { metadata, spec } }).template;
}

const CONTAINER = {
  name: 'c',
  image: 'i',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
};
const SPEC = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

describe('defaults of pod specs', () => {
  it('fills in the spec', () => {
    assert.deepEqual(defaulted({ containers: [{ name: 'c', image: 'i' }] }).spec, { ...SPEC, containers: [CONTAINER] });
  });

  it('changes nothing that is set', () => {
    const spec = {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      dnsPolicy: 'Default',
      schedulerName: 's',
      securityContext: { runAsUser: 1 },
      containers: null,
    };
    assert.deepEqual(defaulted(spec).spec, spec);
  });

  it('gives the same when run twice', () => {
    const { spec } = defaulted({
      hostNetwork: true,
      containers: [{ name: 'c', ports: [{ containerPort: 1 }] }],
      volumes: [{ name: 'v' }, { name: 'w', azureDisk: { diskName: 'd', diskURI: 'u' } }],
    });
    const before = structuredClone(spec);
    setPodSpecDefaults(spec as PodSpec);
    assert.deepEqual(spec, before);
  });

  it('keeps both names of the service account', () => {
    assert.equal(defaulted({ serviceAccount: 'a' }).spec.serviceAccountName, 'a');
    assert.equal(defaulted({ serviceAccountName: 'b', serviceAccount: 'a' }).spec.serviceAccount, 'b');
  });

  it('fills in containers of all sorts', () => {
    const container = {
      name: 'c',
      image: 'i:1',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      resources: { limits: { cpu: '0.0001', memory: '1073741824' } },
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { grpc: { port: 1 } },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
    };
    const { spec } = defaulted({
      hostNetwork: true,
      containers: [container],
      initContainers: [container],
      ephemeralContainers: [{ name: 'e', image: 'i' }],
    });
    for (const [c] of [spec.containers, spec.initContainers]) {
      assert.equal(c.imagePullPolicy, 'IfNotPresent');
      assert.deepEqual(c.ports, [{ containerPort: 80, protocol: 'TCP' }]);
      assert.equal(c.env[0].valueFrom.fieldRef.apiVersion, 'v1');
      assert.deepEqual(c.resources, { limits: { cpu: '1m', memory: '1073741824' } });
      assert.deepEqual(c.livenessProbe, {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      });
      assert.equal(c.readinessProbe.grpc.service, '');
      assert.deepEqual(c.lifecycle.preStop.httpGet, { port: 80, path: '/', scheme: 'HTTP' });
    }
    assert.equal(spec.ephemeralContainers[0].terminationMessagePolicy, 'File');
  });

  const volumes: [source: object, defaulted: object][] = [
    [{}, { emptyDir: {} }],
    [{ hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    [{ secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    [{ configMap: { name: 'm', defaultMode: 0 } }, { configMap: { name: 'm', defaultMode: 0 } }],
    [
      { rbd: { monitors: ['m'], image: 'i' } },
      { rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } },
    ],
    [
      { iscsi: { targetPortal: 'x', iqn: 'iqn', lun: 0 } },
      { iscsi: { targetPortal: 'x', iqn: 'iqn', lun: 0, iscsiInterface: 'default' } },
    ],
    [
      { azureDisk: { diskName: 'd', diskURI: 'u' } },
      {
        azureDisk: {
          diskName: 'd',
          diskURI: 'u',
          cachingMode: 'ReadWrite',
          kind: 'Shared',
          fsType: 'ext4',
          readOnly: false,
        },
      },
    ],
    [
      { scaleIO: { gateway: 'g', system: 's', secretRef: {} } },
      { scaleIO: { gateway: 'g', system: 's', secretRef: {}, storageMode: 'ThinProvisioned', fsType: 'xfs' } },
    ],
    [
      {
        projected: {
          sources: [
            { serviceAccountToken: { path: 't' } },
            { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          ],
        },
      },
      {
        projected: {
          sources: [
            { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
            { downwardAPI: { items: [{ path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
  ];
  for (const [source, expected] of volumes) {
    it(`fills in ${JSON.stringify(source)}`, () =>
      assert.deepEqual(defaulted({ volumes: [{ name: 'v', ...source }] }).spec.volumes, [{ name: 'v', ...expected }]));
  }

  it('drops init containers that very old clients keep in annotations', () => {
    assert.deepEqual(defaulted({}, { annotations: { 'pod.beta.kubernetes.io/init-containers': '[]' } }).metadata, {});
  });

  it('keeps resource names that look like object properties', () => {
    const limits = JSON.parse('{"__proto__": "0.0001", "constructor": "1"}');
    const { resources } = defaulted({ containers: [{ name: 'c', resources: { limits } }] }).spec.containers[0];
    assert.deepEqual(Object.entries(resources.limits), [
      ['__proto__', '1m'],
      ['constructor', '1'],
    ]);
  });
});
