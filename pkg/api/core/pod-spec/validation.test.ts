import assert from 'node:assert/strict';
import { create, type RequestOverrides } from '../../kind-testing.ts';
import { pod } from '../pod/pod.ts';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** The errors of a pod with this spec, and of its one container with these fields. */
function problems(
  spec: object,
  container: object = {},
  metadata: object = {},
  overrides: RequestOverrides = {},
): string[] {
  const body = {
    metadata: { name: 'p', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
  };
  return create(pod, 'v1', body, overrides).texts;
}

interface Case {
  what: string;
  spec?: object;
  container?: object;
  metadata?: object;
  texts: string[];
}

function table(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    for (const { what, spec = {}, container, metadata, texts } of cases)
      it(what, () => assert.deepEqual(problems(spec, container, metadata), texts));
  });
}

table('validation of containers', [
  { what: 'a plain container', texts: [] },
  { what: 'no container', spec: { containers: [] }, texts: ['spec.containers: Required value'] },
  {
    what: 'names',
    spec: {
      containers: [
        { name: 'C_c', image: 'i' },
        { name: 'd', image: 'i' },
        { name: 'd', image: 'i' },
        { name: '', image: 'i' },
      ],
    },
    texts: [
      `spec.containers[0].name: Invalid value: "C_c": ${LABEL}`,
      'spec.containers[2].name: Duplicate value: "d"',
      'spec.containers[3].name: Required value',
    ],
  },
  { what: 'no image', container: { image: '' }, texts: ['spec.containers[0].image: Required value'] },
  {
    what: 'image with white space',
    container: { image: ' i' },
    texts: ['spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace'],
  },
  {
    what: 'policies',
    container: { imagePullPolicy: 'Sometimes', terminationMessagePolicy: 'Never' },
    texts: [
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "Never": supported values: "File", "FallbackToLogsOnError"',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
  },
  {
    what: 'ports',
    container: {
      ports: [
        { containerPort: 70000 },
        { hostPort: -1, name: 'UP' },
        { containerPort: 1, name: 'a', protocol: 'X' },
        { containerPort: 2, name: 'a' },
      ],
    },
    texts: [
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[1].name: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].ports[1].name: Invalid value: "UP": must contain at least one letter (a-z)',
      'spec.containers[0].ports[1].containerPort: Required value',
      'spec.containers[0].ports[1].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      'spec.containers[0].ports[3].name: Duplicate value: "a"',
    ],
  },
  {
    what: 'host ports taken twice',
    container: {
      ports: [
        { containerPort: 1, hostPort: 80 },
        { containerPort: 2, hostPort: 80 },
        { containerPort: 3, hostPort: 80, protocol: 'UDP' },
      ],
    },
    texts: ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
  },
  {
    what: 'host network with another port',
    spec: { hostNetwork: true },
    container: { ports: [{ containerPort: 80, hostPort: 81 }, { containerPort: 82 }] },
    texts: [
      'spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true',
    ],
  },
  {
    what: 'init containers',
    spec: {
      initContainers: [
        { name: 'c', image: 'i', livenessProbe: { exec: { command: ['x'] } } },
        { name: 's', image: 'i', restartPolicy: 'Always', startupProbe: { exec: { command: ['x'] } } },
      ],
    },
    texts: [
      'spec.initContainers[0].name: Duplicate value: "c"',
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  },
  {
    what: 'ephemeral containers at creation',
    spec: { ephemeralContainers: [{ name: 'd', image: 'i' }] },
    texts: ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  },
]);

table('validation of environments', [
  {
    what: 'names',
    container: { env: [{ name: '' }, { name: '1a' }] },
    texts: [
      'spec.containers[0].env[0].name: Required value',
      "spec.containers[0].env[1].name: Invalid value: \"1a\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and " +
        "must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
    ],
  },
  {
    what: 'sources',
    container: {
      env: [
        { name: 'A', valueFrom: {} },
        { name: 'B', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'D', valueFrom: { fieldRef: { fieldPath: 'spec.bogus' } } },
        { name: 'E', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
        { name: 'F', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['Good/Key']" } } },
        { name: 'G', valueFrom: { fieldRef: { fieldPath: "metadata.name['x']" } } },
        { name: 'H', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2m' } } },
        { name: 'I', valueFrom: { resourceFieldRef: { resource: 'bogus' } } },
      ],
    },
    texts: [
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      'spec.containers[0].env[1].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'spec.containers[0].env[2].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      'spec.containers[0].env[3].valueFrom.fieldRef.fieldPath: Invalid value: "spec.bogus": error converting fieldPath: field label not supported: spec.bogus',
      'spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", ' +
        '"spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      "spec.containers[0].env[6].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.name['x']\": error converting fieldPath: field label does not support subscript: metadata.name['x']",
      'spec.containers[0].env[7].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      'spec.containers[0].env[8].valueFrom.resourceFieldRef.resource: Unsupported value: "bogus": supported values: "limits.cpu", "limits.ephemeral-storage", ' +
        '"limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
  },
  {
    what: 'whole sources',
    container: { envFrom: [{}, { configMapRef: { name: 'a' }, secretRef: { name: 'b' } }, { configMapRef: {} }] },
    texts: [
      'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
      'spec.containers[0].envFrom[2].configMapRef.name: Required value',
    ],
  },
]);

table('validation of probes and hooks', [
  {
    what: 'numbers and ports',
    container: {
      livenessProbe: {
        periodSeconds: -1,
        successThreshold: 2,
        httpGet: { port: 0, scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] },
      },
    },
    texts: [
      'spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
      'spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or \'-\' ' +
        "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      'spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ],
  },
  {
    what: 'handlers',
    container: {
      startupProbe: {},
      readinessProbe: { exec: {}, tcpSocket: { port: 'x' }, terminationGracePeriodSeconds: 3 },
      lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: { httpGet: { port: 'x' } } },
    },
    texts: [
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      'spec.containers[0].readinessProbe.exec.command: Required value',
      'spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes',
      'spec.containers[0].startupProbe: Required value: must specify a handler type',
    ],
  },
]);

table('validation of resources', [
  {
    what: 'request over limit',
    container: { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } },
    texts: ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  },
  {
    // Requests follow limits, so that each error comes for both.
    what: 'names',
    container: { resources: { limits: { bogus: '1', '-/b': '1' } } },
    texts: ['limits', 'requests'].flatMap((kind) => [
      `spec.containers[0].resources.${kind}[-/b]: Invalid value: "-/b": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
        "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      `spec.containers[0].resources.${kind}[-/b]: Invalid value: "-/b": doesn't follow extended resource name standard`,
      `spec.containers[0].resources.${kind}[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified`,
      `spec.containers[0].resources.${kind}[bogus]: Invalid value: "bogus": must be a standard resource for containers`,
    ]),
  },
  {
    what: 'negative amounts',
    container: { resources: { requests: { memory: '-1' } } },
    texts: ['spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0'],
  },
  {
    what: 'extended resources',
    container: { resources: { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } } },
    texts: ['spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
  },
  {
    what: 'extended resources without a limit',
    container: { resources: { requests: { 'example.com/gpu': '1' } } },
    texts: ['spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources'],
  },
  {
    what: 'huge pages alone',
    container: { resources: { limits: { 'hugepages-2Mi': '4Mi' } } },
    texts: ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
  },
  {
    what: 'parts of huge pages',
    container: { resources: { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } } },
    texts: ['limits', 'requests'].map(
      (kind) =>
        `spec.containers[0].resources.${kind}[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi`,
    ),
  },
  {
    what: 'claims of the pod',
    spec: { resourceClaims: [{ name: 'a', resourceClaimName: 'x' }, { name: 'a' }] },
    container: { resources: { claims: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] } },
    texts: [
      'spec.resourceClaims[1].name: Duplicate value: "a"',
      'spec.resourceClaims[1]: Invalid value: {"name":"a"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      'spec.containers[0].resources.claims[1].name: Not found: "b"',
      'spec.containers[0].resources.claims[2].name: Duplicate value: "a"',
    ],
  },
  {
    what: 'pod resources smaller than its containers',
    spec: { resources: { requests: { cpu: '1' }, limits: { cpu: '1', bogus: '1' } } },
    container: { resources: { limits: { cpu: '2' } } },
    texts: [
      'spec.resources.limits[bogus]: Unsupported value: "bogus": supported values: "cpu", "hugepages-", "memory"',
      'spec.resources.limits[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'spec.resources.limits[bogus]: Invalid value: "bogus": must be a standard resource for containers',
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ],
  },
]);

table('validation of security contexts', [
  {
    what: 'privileges',
    container: { securityContext: { privileged: true } },
    texts: ['spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy'],
  },
  {
    what: 'ids',
    spec: { securityContext: { fsGroup: -1, supplementalGroups: [1, -2] } },
    container: { securityContext: { runAsUser: -1, runAsGroup: 4294967296 } },
    texts: [
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.containers[0].securityContext.runAsGroup: Invalid value: 4294967296: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.supplementalGroups[1]: Invalid value: -2: must be between 0 and 2147483647, inclusive',
    ],
  },
  {
    what: 'seccomp profiles',
    spec: { securityContext: { seccompProfile: { type: 'Bogus' } } },
    container: { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '/x' } } },
    texts: [
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/x": must be a relative path',
      'spec.securityContext.seccompProfile.type: Unsupported value: "Bogus": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  },
  {
    what: 'sysctls',
    spec: {
      securityContext: {
        sysctls: [
          { name: 'a.b', value: '' },
          { name: 'a.b', value: '' },
          { name: '', value: '' },
          { name: 'A', value: '' },
        ],
      },
    },
    texts: [
      'spec.securityContext.sysctls[1].name: Duplicate value: "a.b"',
      'spec.securityContext.sysctls[2].name: Required value',
      'spec.securityContext.sysctls[3].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
  },
  {
    what: 'Windows users',
    container: { securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } },
    texts: [
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
    ],
  },
  {
    what: 'Linux fields of Windows pods',
    spec: { os: { name: 'windows' }, hostPID: true, securityContext: { runAsUser: 1 } },
    container: { securityContext: { capabilities: {} } },
    texts: [
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      'spec.containers[0].securityContext.capabilities: Forbidden: cannot be set for a windows pod',
    ],
  },
  {
    what: 'unknown systems',
    spec: { os: { name: 'plan9' } },
    texts: ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  },
  {
    what: 'a user namespace with host namespaces',
    spec: { hostUsers: false, hostNetwork: true, hostPID: true },
    texts: [
      'spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false',
      'spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false',
    ],
  },
]);

describe('validation under a policy that allows privileges', () => {
  const allowed = (container: object): string[] => problems({}, container, {}, { policy: { allowPrivileged: true } });

  it('allows containers to have them', () => assert.deepEqual(allowed({ securityContext: { privileged: true } }), []));
  it('refuses contradictions', () => {
    const [text] = allowed({ securityContext: { privileged: true, allowPrivilegeEscalation: false } });
    assert.match(
      text!,
      /^spec\.containers\[0\]\.securityContext: Invalid value: .*: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
    );
  });
});

table('validation of placement', [
  {
    what: 'node affinity',
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: 'b', operator: 'Near' },
                ],
                matchFields: [{ key: 'x', operator: 'In', values: ['n'] }],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
        },
      },
    },
    texts: [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].operator: Invalid value: "Near": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "x": not a valid field selector key',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    ],
  },
  {
    what: 'tolerations',
    spec: {
      tolerations: [
        { key: 'a', operator: 'Exists', value: 'v' },
        { operator: 'Equal' },
        { key: 'a', operator: 'Near' },
        { key: 'a', tolerationSeconds: 1, effect: 'Stop' },
      ],
    },
    texts: [
      'spec.tolerations[0].operator: Invalid value: {"Key":"a","Operator":"Exists","Value":"v","Effect":"","TolerationSeconds":null}: value must be empty when `operator` is \'Exists\'',
      'spec.tolerations[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      'spec.tolerations[2].operator: Unsupported value: "Near": supported values: "Equal", "Exists"',
      'spec.tolerations[3].effect: Invalid value: "Stop": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      'spec.tolerations[3].effect: Unsupported value: "Stop": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  },
  {
    what: 'topology spread',
    spec: {
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'Cry', minDomains: 2 },
      ],
    },
    texts: [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
      'spec.topologySpreadConstraints[2].topologyKey: Required value: can not be empty',
      'spec.topologySpreadConstraints[2].whenUnsatisfiable: Unsupported value: "Cry": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[2].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Cry',
    ],
  },
  {
    what: 'policies and names',
    spec: {
      restartPolicy: 'Maybe',
      dnsPolicy: 'Nope',
      preemptionPolicy: 'Rarely',
      hostname: 'a.b',
      activeDeadlineSeconds: 0,
      schedulingGates: [{ name: 'a' }, { name: 'a' }],
      readinessGates: [{ conditionType: '' }],
    },
    texts: [
      'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "Nope": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      'spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty',
      "spec.readinessGates[0].conditionType: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.schedulingGates[1]: Duplicate value: "a"',
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      `spec.hostname: Invalid value: "a.b": ${LABEL}`,
      'spec.preemptionPolicy: Unsupported value: "Rarely": supported values: "PreemptLowerPriority", "Never"',
    ],
  },
  {
    what: 'DNS',
    spec: {
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.2.3.4', 'x', '1.1.1.1', '2.2.2.2'], options: [{}] },
      hostAliases: [{ ip: 'x', hostnames: ['UP'] }],
    },
    texts: [
      'spec.dnsConfig.nameservers: Invalid value: ["1.2.3.4","x","1.1.1.1","2.2.2.2"]: must not have more than 3 nameservers',
      'spec.dnsConfig.nameservers[1]: Invalid value: "x": must be valid IP address',
      'spec.dnsConfig.options[0]: Required value: must not be empty',
      'spec.hostAliases.ip: Invalid value: "x": must be valid IP address',
      "spec.hostAliases.hostnames: Invalid value: \"UP\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
        "an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    what: 'no DNS config',
    spec: { dnsPolicy: 'None' },
    texts: ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  },
]);

table('validation of annotations', [
  {
    what: 'mirror pods without a node',
    metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
    texts: [
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ],
  },
  {
    what: 'profiles and costs',
    metadata: {
      annotations: {
        'container.apparmor.security.beta.kubernetes.io/other': 'bogus',
        'controller.kubernetes.io/pod-deletion-cost': '+1',
        'seccomp.security.alpha.kubernetes.io/pod': 'bogus',
      },
    },
    texts: [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "bogus": must be a valid seccomp profile',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "other": container not found',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "bogus": invalid AppArmor profile name: "bogus"',
    ],
  },
  {
    what: 'disagreeing seccomp',
    spec: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    metadata: { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } },
    texts: ['spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match'],
  },
]);
