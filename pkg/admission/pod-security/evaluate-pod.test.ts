import assert from 'node:assert/strict';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import { violationDetails, violationReasons, violationsOf } from './evaluate-pod.ts';
import type { Level, PolicyVersion } from './level.ts';

describe('violations of pod security levels', () => {
  const details = (
    level: Level,
    spec: object,
    annotations: Record<string, string> = {},
    version: PolicyVersion = 'latest',
  ) => violationDetails(violationsOf({ level, version }, { annotations }, { containers: [], ...spec } as PodSpec));
  const container = (securityContext: object = {}, name = 'c', more: object = {}) => ({
    name,
    securityContext,
    ...more,
  });
  const safe = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  };

  it('are none for privileged, nor for pods that satisfy the rules', () => {
    assert.equal(details('privileged', { hostPID: true, containers: [container({ privileged: true })] }), '');
    assert.equal(details('baseline', { containers: [container()] }), '');
    assert.equal(
      details('restricted', {
        containers: [container(safe)],
        volumes: [
          { name: 'v', configMap: {} },
          { name: 'w', projected: {} },
        ],
      }),
      '',
    );
  });

  const baseline: [string, object, string, Record<string, string>?][] = [
    [
      'AppArmor',
      { containers: [container()] },
      'forbidden AppArmor profile (container.apparmor.security.beta.kubernetes.io/c="unconfined")',
      { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
    ],
    [
      'AppArmor fields',
      { containers: [container({ appArmorProfile: { type: 'Unconfined' } })] },
      'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'capabilities',
      {
        containers: [
          container({ capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } }),
          container({ capabilities: { add: ['NET_RAW'] } }, 'd'),
        ],
      },
      'non-default capabilities (containers "c", "d" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'namespaces',
      { hostNetwork: true, hostPID: true, hostIPC: true },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'host paths',
      {
        volumes: [
          { name: 'a', hostPath: {} },
          { name: 'b', hostPath: {} },
        ],
      },
      'hostPath volumes (volumes "a", "b")',
    ],
    [
      'one host port',
      { containers: [container({}, 'c', { ports: [{ hostPort: 80 }, { containerPort: 1 }] })] },
      'hostPort (container "c" uses hostPort 80)',
    ],
    [
      'host ports',
      {
        containers: [container({}, 'c', { ports: [{ hostPort: 80 }] })],
        initContainers: [container({}, 'i', { ports: [{ hostPort: 443 }] })],
      },
      'hostPort (containers "i", "c" use hostPorts 443, 80)',
    ],
    [
      'privileges',
      { containers: [container()], ephemeralContainers: [container({ privileged: true }, 'e')] },
      'privileged (container "e" must not set securityContext.privileged=true)',
    ],
    [
      'proc mounts',
      { containers: [container({ procMount: 'Unmasked' })] },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'SELinux',
      {
        securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } },
        containers: [container({ seLinuxOptions: { type: 'x' } })],
      },
      'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "spc_t", "x"; user may not be set; role may not be set)',
    ],
    [
      'seccomp',
      {
        securityContext: { seccompProfile: { type: 'Unconfined' } },
        containers: [container({ seccompProfile: { type: 'Unconfined' } })],
      },
      'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'sysctls',
      {
        securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_syncookies' }, { name: 'x.y' }] },
      },
      'forbidden sysctls (kernel.msgmax, x.y)',
    ],
    [
      'Windows',
      {
        securityContext: { windowsOptions: { hostProcess: true } },
        containers: [container({ windowsOptions: { hostProcess: true } })],
      },
      'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ];
  for (const [what, spec, words, annotations] of baseline) {
    it(`of baseline: ${what}`, () => assert.equal(details('baseline', spec, annotations), words));
  }

  const restricted: [string, object, string][] = [
    [
      'everything',
      {},
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'added capabilities',
      { ...safe, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } },
      'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    ['root', { ...safe, runAsUser: 0 }, 'runAsUser=0 (container "c" must not set runAsUser=0)'],
    [
      'root by omission',
      { ...safe, runAsNonRoot: false },
      'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'seccomp',
      { ...safe, seccompProfile: { type: 'Unconfined' } },
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
  ];
  for (const [what, securityContext, words] of restricted) {
    it(`of restricted: ${what}`, () =>
      assert.equal(details('restricted', { containers: [container(securityContext)] }), words));
  }

  it('of restricted include those of baseline, each once', () => {
    const spec = {
      hostNetwork: true,
      containers: [container(safe)],
      volumes: [
        { name: 'a', hostPath: {} },
        { name: 'b', nfs: {} },
        { name: 'd', somethingNew: {} },
      ],
    };
    assert.equal(
      details('restricted', spec),
      'host namespaces (hostNetwork=true), restricted volume types (volumes "a", "b", "d" use restricted volume types "hostPath", "nfs", "somethingNew")',
    );
    const one = { containers: [container(safe)], volumes: [{ name: 'a', hostPath: {} }] };
    assert.equal(
      details('restricted', one),
      'restricted volume types (volume "a" uses restricted volume type "hostPath")',
    );
  });

  it("of a pod's own settings hold for containers that set nothing", () => {
    const spec = {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } },
      containers: [container({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })],
    };
    assert.equal(details('restricted', spec), '');
    assert.match(
      details('restricted', {
        ...spec,
        securityContext: { runAsNonRoot: true, runAsUser: 0, seccompProfile: { type: 'Localhost' } },
      }),
      /runAsUser=0 \(pod must not set runAsUser=0\)/,
    );
  });

  it('follow the release of the policy', () => {
    const bare = { containers: [container()] };
    assert.equal(
      violationReasons(violationsOf({ level: 'restricted', version: 7 }, {}, bare as PodSpec)),
      'runAsNonRoot != true',
    );
    assert.equal(
      violationReasons(violationsOf({ level: 'restricted', version: 8 }, {}, bare as PodSpec)),
      'allowPrivilegeEscalation != false, runAsNonRoot != true',
    );
    const adding = {
      containers: [container({ ...safe, capabilities: { add: ['SYS_ADMIN'] }, runAsUser: 0 })],
    } as PodSpec;
    assert.equal(
      violationReasons(violationsOf({ level: 'restricted', version: 21 }, {}, adding)),
      'non-default capabilities',
    );
    assert.equal(
      violationReasons(violationsOf({ level: 'restricted', version: 23 }, {}, adding)),
      'unrestricted capabilities, runAsUser=0',
    );
    const annotations = {
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/x',
    };
    assert.equal(
      details('baseline', bare, annotations, 18),
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    assert.equal(details('baseline', bare, annotations, 19), '');
    const sysctl = { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_reserved_ports' }] } };
    assert.deepEqual(
      [details('baseline', sysctl, {}, 26) === '', details('baseline', sysctl, {}, 27) === ''],
      [false, true],
    );
  });

  it('know that Windows has no capabilities', () => {
    const windows = { os: { name: 'windows' }, containers: [container({ runAsNonRoot: true })] };
    assert.equal(details('restricted', windows), '');
    assert.notEqual(details('restricted', windows, {}, 24), '');
  });
});
