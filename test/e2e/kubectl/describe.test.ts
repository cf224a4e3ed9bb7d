import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, node, pod, podTemplate } from './manifests.ts';
import { described } from './printed.ts';

const metadata = (name: string, labels: Readonly<Record<string, string>> = {}): object => ({ name, labels });
const selector = { matchLabels: { app: 'x' } };
const job = {
  template: {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1'] }] },
  },
};

/** One object of each common kind, with lines that its description has to have. */
const cases: readonly { readonly object: object; readonly lines: readonly string[] }[] = [
  {
    object: pod(
      'pod',
      { app: 'x' },
      {
        nodeName: 'describe-node',
        priority: 0,
        tolerations: [{ key: 'a', operator: 'Exists' }],
        containers: [
          {
            name: 'main',
            image: 'busybox:1.36',
            env: [{ name: 'MODE', value: 'fast' }],
            resources: { limits: { cpu: '100m' } },
            volumeMounts: [{ name: 'settings', mountPath: '/etc/settings' }],
            livenessProbe: { httpGet: { path: '/live', port: 80 } },
          },
        ],
        volumes: [{ name: 'settings', configMap: { name: 'configmap' } }],
      },
    ),
    lines: [
      'Name: pod',
      'Namespace: describe',
      'Priority: 0',
      'Node: describe-node/',
      'Labels: app=x',
      'Status: Pending',
      'main:',
      'Image: busybox:1.36',
      'cpu: 100m',
      'MODE: fast',
      '/etc/settings from settings (rw)',
      'Liveness: http-get http://:80/live delay=0s timeout=1s period=10s #success=1 #failure=3',
      'Type: ConfigMap (a volume populated by a ConfigMap)',
      'QoS Class: Burstable',
      'Events: <none>',
    ],
  },
  {
    object: deployment('deployment'),
    lines: [
      'Name: deployment',
      'Selector: app=deployment',
      'Replicas: 1 desired | 0 updated | 0 total | 0 available | 0 unavailable',
      'StrategyType: RollingUpdate',
      'RollingUpdateStrategy: 25% max unavailable, 25% max surge',
      'Image: nginx:1.25',
      'Port: 80/TCP',
    ],
  },
  {
    object: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: metadata('replicaset'),
      spec: { replicas: 2, selector, template: podTemplate('x') },
    },
    lines: ['Name: replicaset', 'Replicas: 0 current / 2 desired', 'Selector: app=x'],
  },
  {
    object: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata('statefulset'),
      spec: {
        serviceName: 's',
        replicas: 3,
        selector,
        template: podTemplate('x'),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    lines: [
      'Name: statefulset',
      'Replicas: 3 desired | 0 total',
      'Update Strategy: RollingUpdate',
      'Partition: 0',
      'Name: data',
      'Capacity: 1Gi',
      'Access Modes: [ReadWriteOnce]',
    ],
  },
  {
    object: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: metadata('daemonset'),
      spec: { selector, template: podTemplate('x') },
    },
    lines: [
      'Name: daemonset',
      'Desired Number of Nodes Scheduled: 0',
      'Pods Status: 0 Running / 0 Waiting / 0 Succeeded / 0 Failed',
    ],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: metadata('replicationcontroller'),
      spec: { replicas: 1, selector: { app: 'x' }, template: podTemplate('x') },
    },
    lines: ['Name: replicationcontroller', 'Replicas: 0 current / 1 desired'],
  },
  {
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: metadata('job'),
      spec: { parallelism: 2, completions: 4, ...job },
    },
    lines: [
      'Name: job',
      'Parallelism: 2',
      'Completions: 4',
      'Completion Mode: NonIndexed',
      'Pods Statuses: 0 Active / 0 Succeeded / 0 Failed',
    ],
  },
  {
    object: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: metadata('cronjob'),
      spec: { schedule: '*/5 * * * *', jobTemplate: { spec: job } },
    },
    lines: [
      'Name: cronjob',
      'Schedule: */5 * * * *',
      'Concurrency Policy: Allow',
      'Suspend: False',
      'Successful Job History Limit: 3',
      'Last Schedule Time: <unset>',
      'Active Jobs: <none>',
    ],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('service'),
      spec: {
        type: 'NodePort',
        clusterIP: '10.0.0.7',
        selector: { app: 'x' },
        ports: [{ name: 'http', port: 80, targetPort: 'web', nodePort: 30055 }],
      },
    },
    lines: [
      'Name: service',
      'Selector: app=x',
      'Type: NodePort',
      'IP Family Policy: SingleStack',
      'IP Families: IPv4',
      'IP: 10.0.0.7',
      'Port: http 80/TCP',
      'TargetPort: web/TCP',
      'NodePort: http 30055/TCP',
      'Session Affinity: None',
    ],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: metadata('endpoints'),
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    },
    lines: ['Name: endpoints', 'Addresses: 192.0.2.1', '<unset> 80 TCP'],
  },
  {
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata('ingress'),
      spec: {
        tls: [{ hosts: ['a.example'], secretName: 'cert' }],
        rules: [
          {
            host: 'a.example',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 'service', port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
    lines: ['Name: ingress', 'cert terminates a.example', 'Host Path Backends'],
  },
  {
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: metadata('networkpolicy'),
      spec: { podSelector: selector, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
    },
    lines: ['Name: networkpolicy', 'PodSelector: app=x', 'To Port: 80/TCP', 'Policy Types: Ingress'],
  },
  { object: configMap('configmap', { key: 'some text' }), lines: ['Name: configmap', 'Data', 'key:', 'some text'] },
  {
    object: { apiVersion: 'v1', kind: 'Secret', metadata: metadata('secret'), stringData: { password: '12345678' } },
    lines: ['Name: secret', 'Type: Opaque', 'password: 8 bytes'],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metadata('serviceaccount'),
      imagePullSecrets: [{ name: 'secret' }],
    },
    lines: ['Name: serviceaccount', 'Image pull secrets: secret'],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('claim'),
      spec: {
        storageClassName: 'describe-class',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '2Gi' } },
      },
    },
    lines: [
      'Name: claim',
      'StorageClass: describe-class',
      'Status: Pending',
      'Used By: <none>',
      'VolumeMode: Filesystem',
      'Finalizers: [kubernetes.io/pvc-protection]',
    ],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: metadata('describe-volume'),
      spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    },
    lines: ['Name: describe-volume', 'Reclaim Policy: Retain', 'Access Modes: RWO', 'Capacity: 5Gi', 'Path: /data'],
  },
  {
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: metadata('describe-class'),
      provisioner: 'example.com/disk',
    },
    lines: [
      'Name: describe-class',
      'IsDefaultClass: No',
      'Provisioner: example.com/disk',
      'VolumeBindingMode: Immediate',
    ],
  },
  {
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: metadata('role'),
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    },
    lines: ['Name: role', 'Resources Non-Resource URLs Resource Names Verbs', 'pods [] [] [get list]'],
  },
  {
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: metadata('rolebinding'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'role' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    },
    lines: ['Name: rolebinding', 'Kind: Role', 'User eve'],
  },
  {
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: metadata('device'),
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } },
    },
    lines: ['Name: device', 'Device Class Name: gpu.example.com', 'Allocation Mode: ExactCount'],
  },
  {
    object: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: metadata('quota'), spec: { hard: { pods: '10' } } },
    lines: ['Name: quota'],
  },
  {
    object: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: metadata('limits'),
      spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '10Gi' } }] },
    },
    lines: ['Name: limits', 'PersistentVolumeClaim storage - 10Gi - - -'],
  },
  {
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata('budget'),
      spec: { maxUnavailable: '50%', selector },
    },
    lines: ['Name: budget', 'Max unavailable: 50%', 'Selector: app=x'],
  },
  {
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: metadata('scaler'),
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'deployment' },
        maxReplicas: 4,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
        ],
      },
    },
    lines: ['Name: scaler', 'Reference: Deployment/deployment', 'Min replicas: 1', 'Max replicas: 4'],
  },
  {
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: metadata('describe-priority'),
      value: 7,
      description: 'low',
    },
    lines: ['Name: describe-priority', 'Value: 7', 'Description: low', 'PreemptionPolicy: PreemptLowerPriority'],
  },
  {
    object: node('describe-node', { zone: 'z' }),
    lines: ['Name: describe-node', 'Taints: node.kubernetes.io/not-ready:NoSchedule', 'Unschedulable: false', 'zone=z'],
  },
  {
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: metadata('lease'),
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
    },
    lines: ['Name: lease', 'Kind: Lease', 'Holder Identity: me', 'Lease Duration Seconds: 15'],
  },
];

eachKubectl('describe', (bench) => {
  before(async () => {
    const { kubectl, api } = bench();
    await kubectl.input(documents(...cases.map((c) => c.object))).ok`create -f -`;
    const resources = { cpu: '2', memory: '4Gi', pods: '110' };
    const answer = await api.patch('/api/v1/nodes/describe-node/status', 'merge', {
      status: { capacity: resources, allocatable: resources },
    });
    assert.equal(answer.status, 200);
  });

  it('describes every common kind', async () => {
    const { kubectl } = bench();
    await Promise.all(
      cases.map(async ({ object, lines }) => {
        const {
          kind,
          metadata: { name },
        } = object as { kind: string; metadata: { name: string } };
        const text = await kubectl.ok`describe ${kind.toLowerCase()} ${name}`;
        const found = new Set(described(text));
        for (const line of lines) assert.ok(found.has(line), `${kind}: no "${line}" in\n${text}`);
      }),
    );
  });

  it('describes what belongs together', async () => {
    const { kubectl } = bench();
    const namespace = described(await kubectl.ok`describe namespace describe`);
    for (const line of [
      'Name: describe',
      'Labels: kubernetes.io/metadata.name=describe',
      'Status: Active',
      'Name: quota',
    ])
      assert.ok(namespace.includes(line), namespace.join('\n'));
    const onNode = await kubectl.ok`describe node describe-node`;
    assert.match(onNode, /Non-terminated Pods: +\(1 in total\)/);
    assert.match(onNode, /\n +describe +pod +100m \(5%\) +100m \(5%\) +0 \(0%\)/);
    const several = await kubectl.ok`describe configmap,secret -l missing!=x`;
    assert.match(several, /Name: +configmap\n/);
    assert.match(several, /Name: +secret\n/);
    assert.match(await kubectl.ok`describe configmap conf`, /Name: +configmap\n/);
    assert.equal(
      await kubectl.fails`describe configmap nothing`,
      'Error from server (NotFound): configmaps "nothing" not found\n',
    );
  });
});
