import { applicationOf, podName } from './names.ts';

/** The annotation that writing rows change: always eight digits, so that sizes stay the same. */
export const touchedAnnotation = 'bench-touched';

export function touchedValue(count: number): string {
  return String(count % 1e8).padStart(8, '0');
}

/**
 * A pod as a deployment of a web service makes it: three containers, an init container, configuration by environment,
 * volumes. About 4.9 KB of JSON once the server has added its defaults; without managed fields. Each index gives other
 * names, nothing is random.
 */
export function podJson(
  index: number,
  namespace: string,
  nodeName = `node-${String(index % 100).padStart(3, '0')}.zone-a.cluster.internal`,
): string {
  const app = applicationOf(index);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(index), namespace, labels: labels(app, index), annotations: annotations(app) },
    spec: {
      nodeName,
      serviceAccountName: 'default',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 45,
      initContainers: [
        {
          name: 'migrate',
          image: `registry.example.com/platform/${app}/migrate:v2.14.3`,
          args: ['up', '--lock-timeout=30s'],
          volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
        },
      ],
      containers: [service(app), proxy(), logShipper(app)],
      volumes: [
        { name: 'config', configMap: { name: `${app}-config`, items: [{ key: 'app.yaml', path: 'app.yaml' }] } },
        { name: 'credentials', secret: { secretName: `${app}-credentials` } },
        { name: 'scratch', emptyDir: { sizeLimit: '512Mi' } },
        { name: 'logs', emptyDir: {} },
      ],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app } },
        },
      ],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
  });
}

function labels(app: string, index: number): Record<string, string> {
  return {
    'app.kubernetes.io/name': app,
    'app.kubernetes.io/instance': `${app}-production`,
    'app.kubernetes.io/version': 'v2.14.3',
    'app.kubernetes.io/part-of': 'storefront',
    'app.kubernetes.io/managed-by': 'Helm',
    'pod-template-hash': (0x9e37 + index * 40503).toString(16).padStart(8, '0'),
    app,
  };
}

function annotations(app: string): Record<string, string> {
  return {
    [touchedAnnotation]: touchedValue(0),
    'prometheus.io/scrape': 'true',
    'prometheus.io/port': '9102',
    'checksum/config': 'b7d9a1c4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90',
    'example.com/owner': `team-${app}@example.com`,
  };
}

function service(app: string): object {
  const env = [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: `${app}-credentials`, key: 'database-url' } } },
    { name: 'HTTP_PORT', value: '8080' },
    { name: 'LOG_LEVEL', value: 'info' },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://otel-collector.observability:4317' },
    { name: 'FEATURES', value: 'checkout-v2,search-suggest,inventory-hold' },
  ];
  const probe = (path: string): object => ({ httpGet: { path, port: 'http' }, periodSeconds: 10, timeoutSeconds: 2 });
  return {
    name: 'service',
    image: `registry.example.com/platform/${app}:v2.14.3`,
    args: ['serve', '--config=/etc/app/app.yaml'],
    ports: [
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 9102 },
    ],
    env,
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app', readOnly: true },
      { name: 'credentials', mountPath: '/etc/credentials', readOnly: true },
      { name: 'scratch', mountPath: '/tmp' },
    ],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10001,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  };
}

function proxy(): object {
  return {
    name: 'proxy',
    image: 'registry.example.com/mesh/proxy:1.19.4',
    args: ['sidecar', '--concurrency=2'],
    ports: [{ name: 'mesh', containerPort: 15090 }],
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    readinessProbe: { tcpSocket: { port: 15021 }, periodSeconds: 2 },
    securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false },
  };
}

function logShipper(app: string): object {
  return {
    name: 'log-shipper',
    image: 'registry.example.com/logging/shipper:3.2.2',
    env: [{ name: 'SERVICE', value: app }],
    resources: { requests: { cpu: '50m', memory: '64Mi' } },
    volumeMounts: [{ name: 'logs', mountPath: '/var/log/app' }],
  };
}
