import assert from 'node:assert/strict';
import type { AdmissionRequest } from '../admission.ts';
import { authorizerOf } from '../authorizer-testing.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { mountProjectedToken } from '../service-account/token-volume.ts';
import { podSecurityPolicyPlugin } from './plugin.ts';

interface TestPod {
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: {
    securityContext?: Record<string, unknown>;
    containers: { name?: string; image?: string; securityContext?: Record<string, unknown> }[];
  };
}

describe('PodSecurityPolicy', () => {
  const any = { rule: 'RunAsAny' };
  const spec = (more: object = {}) => ({
    seLinux: any,
    runAsUser: any,
    supplementalGroups: any,
    fsGroup: any,
    allowPrivilegeEscalation: true,
    volumes: ['*'],
    ...more,
  });
  const policy = (name: string, more: object = {}, annotations: object = {}) => ({
    metadata: { name, annotations },
    spec: spec(more),
  });
  const pod = (more: object = {}, container: object = {}, annotations?: Record<string, string>): TestPod => ({
    metadata: { name: 'p', namespace: 'n', ...(annotations === undefined ? {} : { annotations }) },
    spec: { securityContext: {}, containers: [{ name: 'c', image: 'i', ...container }], ...more } as TestPod['spec'],
  });
  const everybody = authorizerOf(() => true);
  const refused = (
    policies: object[],
    object: object,
    overrides: Partial<AdmissionRequest> = {},
    authorizer = everybody,
  ) =>
    refusalOf(
      podSecurityPolicyPlugin(lookupOf({ 'podsecuritypolicies.policy': policies }), authorizer),
      requestFor('pods', object, overrides),
    );
  const head = '403 pods "p" is forbidden: unable to validate against any pod security policy: ';

  it('admits by a policy and records which', async () => {
    const created = pod();
    assert.equal(await refused([policy('open')], created), undefined);
    assert.deepEqual(created.metadata.annotations, { 'kubernetes.io/psp': 'open' });
  });

  it('needs a policy that the author or the account may use', async () => {
    assert.equal(await refused([], pod()), '403 pods "p" is forbidden: no providers available to validate pod request');
    const words = `${head}[]`;
    assert.equal(
      await refused(
        [policy('open')],
        pod(),
        {},
        authorizerOf(() => false),
      ),
      words,
    );
    const byAccount = authorizerOf(
      ({ user, verb, resource, namespace, apiGroup }) =>
        user.name === 'system:serviceaccount:n:robot' &&
        verb === 'use' &&
        resource === 'podsecuritypolicies' &&
        namespace === 'n' &&
        apiGroup === 'extensions',
    );
    assert.equal(await refused([policy('open')], pod(), {}, byAccount), words);
    assert.equal(await refused([policy('open')], pod({ serviceAccountName: 'robot' }), {}, byAccount), undefined);
  });

  it('prefers a policy that changes nothing, then the first by name', async () => {
    const changing = (name: string) => policy(name, { readOnlyRootFilesystem: true });
    const created = pod();
    assert.equal(await refused([changing('b'), policy('z'), changing('a')], created), undefined);
    assert.equal(created.metadata.annotations!['kubernetes.io/psp'], 'z');
    const changed = pod();
    assert.equal(await refused([changing('b'), changing('a')], changed), undefined);
    assert.equal(changed.metadata.annotations!['kubernetes.io/psp'], 'a');
    assert.deepEqual(changed.spec.containers[0]!.securityContext, { readOnlyRootFilesystem: true });
  });

  it('gives authors no choice among policies that change the pod', async () => {
    const changing = (name: string) => policy(name, { readOnlyRootFilesystem: true });
    const created = pod({}, {}, { 'kubernetes.io/psp': 'b' });
    assert.equal(await refused([changing('b'), changing('a')], created), undefined);
    assert.equal(created.metadata.annotations!['kubernetes.io/psp'], 'a');
  });

  it('recognizes an account only by its own groups', async () => {
    const byGroup = (group: string) => authorizerOf(({ user }) => user.groups.includes(group));
    assert.equal(
      await refused([policy('open')], pod({ serviceAccountName: 'robot' }), {}, byGroup('system:serviceaccounts:n')),
      undefined,
    );
    assert.match(
      (await refused([policy('open')], pod({ serviceAccountName: 'robot' }), {}, byGroup('system:authenticated'))) ??
        '',
      /any pod security policy: \[\]/,
    );
  });

  it('refuses a pod that violates every policy, at any number of violations', async () => {
    const ports = Array.from({ length: 1200 }, (_, i) => ({ hostPort: i + 1 }));
    assert.match(
      (await refused([policy('a'), policy('b')], pod({}, { ports, securityContext: { privileged: true } }))) ?? '',
      /^403 .*Privileged containers are not allowed/,
    );
  });

  it('bounds the number of errors', async () => {
    const groups = policy('p', { supplementalGroups: { rule: 'MustRunAs', ranges: [{ min: 1, max: 1 }] } });
    const refusal =
      (await refused(
        [groups],
        pod({ securityContext: { supplementalGroups: Array.from({ length: 5000 }, (_, i) => i + 2) } }),
      )) ?? '';
    assert.match(refusal, /group 2 must be in the ranges: \[\{1 1\}\]/);
    assert.ok(refusal.length < 150_000, String(refusal.length));
  });

  it('fills in what policies demand', async () => {
    const created = pod({
      initContainers: [{ name: 'i', securityContext: { runAsUser: 7, capabilities: { drop: ['KILL'] } } }],
    });
    const strict = policy(
      'strict',
      {
        runAsUser: { rule: 'MustRunAs', ranges: [{ min: 5, max: 9 }] },
        fsGroup: { rule: 'MustRunAs', ranges: [{ min: 20, max: 30 }] },
        supplementalGroups: { rule: 'MustRunAs', ranges: [{ min: 40, max: 50 }] },
        seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0' } },
        requiredDropCapabilities: ['NET_RAW'],
        defaultAddCapabilities: ['KILL', 'CHOWN'],
        defaultAllowPrivilegeEscalation: false,
      },
      {
        'seccomp.security.alpha.kubernetes.io/defaultProfileName': 'runtime/default',
        'seccomp.security.alpha.kubernetes.io/allowedProfileNames': 'runtime/default',
        'apparmor.security.beta.kubernetes.io/defaultProfileName': 'localhost/a',
      },
    );
    assert.equal(await refused([strict], created), undefined);
    assert.deepEqual(created.spec.securityContext, {
      supplementalGroups: [40],
      fsGroup: 20,
      seLinuxOptions: { level: 's0' },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    assert.deepEqual(created.spec.containers[0]!.securityContext, {
      runAsUser: 5,
      capabilities: { add: ['CHOWN', 'KILL'], drop: ['NET_RAW'] },
      allowPrivilegeEscalation: false,
    });
    const {
      initContainers: [init],
    } = created.spec as unknown as { initContainers: [TestPod['spec']['containers'][0]] };
    assert.deepEqual(init.securityContext, {
      runAsUser: 7,
      capabilities: { add: ['CHOWN'], drop: ['KILL', 'NET_RAW'] },
      allowPrivilegeEscalation: false,
    });
    assert.deepEqual(created.metadata.annotations, {
      'kubernetes.io/psp': 'strict',
      'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
      'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a',
      'container.apparmor.security.beta.kubernetes.io/i': 'localhost/a',
    });
  });

  it('marks containers that must not be root where no user is set', async () => {
    const nonRoot = policy('p', { runAsUser: { rule: 'MustRunAsNonRoot' } });
    const created = pod();
    assert.equal(await refused([nonRoot], created), undefined);
    assert.deepEqual(created.spec.containers[0]!.securityContext, { runAsNonRoot: true });
    assert.equal(
      await refused([nonRoot], pod({}, { securityContext: { runAsUser: 0 } })),
      `${head}[spec.containers[0].securityContext.runAsUser: Invalid value: 0: running with the root UID is forbidden]`,
    );
    assert.equal(
      await refused([nonRoot], pod({ securityContext: { runAsNonRoot: false } })),
      `${head}[spec.containers[0].securityContext.runAsNonRoot: Invalid value: false: must be true]`,
    );
  });

  const container = (securityContext: object) => pod({}, { securityContext });
  const volume = (source: object) => pod({ volumes: [{ name: 'v', ...source }] });
  const cases: [string, object, TestPod, string][] = [
    [
      'host namespaces',
      {},
      pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
      'spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used ' +
        'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used',
    ],
    [
      'privileges',
      {},
      container({ privileged: true }),
      'spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed',
    ],
    [
      'debug containers',
      {},
      pod({ ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] }),
      'spec.ephemeralContainers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed',
    ],
    [
      'Windows host processes',
      {},
      container({ windowsOptions: { hostProcess: true } }),
      'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: Privileged containers are not allowed',
    ],
    [
      'proc mounts',
      {},
      container({ procMount: 'Unmasked' }),
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": ProcMountType is not allowed',
    ],
    [
      'host ports',
      {
        hostPorts: [
          { min: 80, max: 80 },
          { min: 90, max: 95 },
        ],
      },
      pod({}, { ports: [{ hostPort: 80 }, { hostPort: 81 }] }),
      'spec.containers[0].hostPort: Invalid value: 81: Host port 81 is not allowed to be used. Allowed ports: [80,90-95]',
    ],
    [
      'users',
      { runAsUser: { rule: 'MustRunAs', ranges: [{ min: 5, max: 9 }] } },
      container({ runAsUser: 4 }),
      'spec.containers[0].securityContext.runAsUser: Invalid value: 4: must be in the ranges: [{5 9}]',
    ],
    [
      'groups',
      { supplementalGroups: { rule: 'MayRunAs', ranges: [{ min: 5, max: 9 }] } },
      pod({ securityContext: { supplementalGroups: [5, 10] } }),
      'spec.securityContext.supplementalGroups: Invalid value: [5,10]: group 10 must be in the ranges: [{5 9}]',
    ],
    [
      'SELinux labels',
      { seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0:c1,c2', type: 't' } } },
      container({ seLinuxOptions: { level: 's0:c2,c1', type: 'u' } }),
      'spec.containers[0].securityContext.seLinuxOptions.type: Invalid value: "u": must be t',
    ],
    [
      'capabilities',
      { allowedCapabilities: ['CHOWN'] },
      container({ capabilities: { add: ['CHOWN', 'SYS_ADMIN'] } }),
      'spec.containers[0].securityContext.capabilities.add: Invalid value: "SYS_ADMIN": capability may not be added',
    ],
    [
      'writable root file systems',
      { readOnlyRootFilesystem: true },
      container({ readOnlyRootFilesystem: false }),
      'spec.containers[0].securityContext.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true',
    ],
    [
      'privilege escalation',
      { allowPrivilegeEscalation: false },
      container({ allowPrivilegeEscalation: true }),
      'spec.containers[0].securityContext.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed',
    ],
    [
      'kinds of volumes',
      { volumes: ['emptyDir'] },
      volume({ hostPath: { path: '/' } }),
      'spec.volumes[0]: Invalid value: "hostPath": hostPath volumes are not allowed to be used',
    ],
    [
      'new kinds of volumes',
      { volumes: ['emptyDir'] },
      volume({ somethingNew: {} }),
      'spec.volumes[0]: Invalid value: "somethingNew": somethingNew volumes are not allowed to be used',
    ],
    [
      'paths',
      { allowedHostPaths: [{ pathPrefix: '/foo/' }] },
      volume({ hostPath: { path: '/food' } }),
      'spec.volumes[0].hostPath.pathPrefix: Invalid value: "/food": is not allowed to be used',
    ],
    [
      'writable mounts',
      { allowedHostPaths: [{ pathPrefix: '/foo', readOnly: true }] },
      pod({ volumes: [{ name: 'v', hostPath: { path: '/foo/bar' } }] }, { volumeMounts: [{ name: 'v' }] }),
      'spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only',
    ],
    [
      'drivers',
      { allowedFlexVolumes: [{ driver: 'a' }] },
      volume({ flexVolume: { driver: 'b' } }),
      'spec.volumes[0].driver: Invalid value: "b": Flexvolume driver is not allowed to be used',
    ],
    [
      'forbidden sysctls',
      { forbiddenSysctls: ['kernel.shm*'] },
      pod({ securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced' }] } }),
      'pod.spec.securityContext.sysctls[0]: Forbidden: sysctl "kernel.shm_rmid_forced" is not allowed',
    ],
    [
      'unsafe sysctls',
      { allowedUnsafeSysctls: ['a.*'] },
      pod({ securityContext: { sysctls: [{ name: 'a.b' }, { name: 'b.a' }] } }),
      'pod.spec.securityContext.sysctls[1]: Forbidden: unsafe sysctl "b.a" is not allowed',
    ],
  ];
  for (const [what, more, object, words] of cases)
    it(`refuses ${what} beyond the policy`, async () =>
      assert.equal(await refused([policy('p', more)], object), `${head}[${words}]`));

  it('admits what policies allow', async () => {
    const wide = policy('p', {
      privileged: true,
      hostPID: true,
      allowedCapabilities: ['*'],
      allowedHostPaths: [{ pathPrefix: '/foo' }],
      volumes: ['hostPath', 'cephFS'],
    });
    const object = pod(
      {
        hostPID: true,
        volumes: [
          { name: 'v', hostPath: { path: '/foo/bar' } },
          { name: 'w', cephfs: {} },
        ],
      },
      { securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN'] } }, volumeMounts: [{ name: 'v' }] },
    );
    assert.equal(await refused([wide], object), undefined);
  });

  it('takes the permission for secrets as one for the token that the server mounts', async () => {
    const secrets = policy('p', { volumes: ['secret'] });
    const mounted = pod();
    mountProjectedToken(mounted as never);
    assert.equal(await refused([secrets], mounted), undefined);
    assert.match(
      (await refused(
        [secrets],
        volume({ projected: { sources: [{ serviceAccountToken: { path: 'x', audience: 'other' } }] } }),
      )) ?? '',
      /projected volumes are not allowed/,
    );
  });

  it('checks profiles in annotations and in fields', async () => {
    const listed = (kind: string, profiles: string) => policy('p', {}, { [kind]: profiles });
    const seccomp = 'seccomp.security.alpha.kubernetes.io/';
    const podPath = 'pod.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]';
    const containerPath = 'pod.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]';
    assert.equal(
      await refused([policy('p')], pod({}, {}, { [`${seccomp}pod`]: 'unconfined' })),
      `${head}[${podPath}: Forbidden: seccomp may not be set ${containerPath}: Forbidden: seccomp may not be set]`,
    );
    assert.equal(
      await refused(
        [listed(`${seccomp}allowedProfileNames`, 'runtime/default,localhost/x')],
        container({ seccompProfile: { type: 'Unconfined' } }),
      ),
      `${head}[${podPath}: Forbidden:  is not an allowed seccomp profile. Valid values are runtime/default,localhost/x ${containerPath}: Forbidden: unconfined is not an allowed seccomp profile. Valid values are runtime/default,localhost/x]`,
    );
    assert.equal(
      await refused(
        [listed(`${seccomp}allowedProfileNames`, '*')],
        container({ seccompProfile: { type: 'Unconfined' } }),
      ),
      undefined,
    );
    const renamed = pod(
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      {},
      { [`${seccomp}pod`]: 'docker/default' },
    );
    assert.equal(await refused([listed(`${seccomp}allowedProfileNames`, 'docker/default')], renamed), undefined);
    const appArmor = listed('apparmor.security.beta.kubernetes.io/allowedProfileNames', 'runtime/default');
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    assert.equal(
      await refused([appArmor], pod()),
      `${head}[pod.metadata.annotations[${key}]: Forbidden: AppArmor profile must be set]`,
    );
    assert.equal(
      await refused([appArmor], container({ appArmorProfile: { type: 'Unconfined' } })),
      `${head}[pod.metadata.annotations[${key}]: Forbidden: unconfined is not an allowed profile. Allowed values: "runtime/default"]`,
    );
    assert.equal(await refused([appArmor], pod({}, {}, { [key]: 'runtime/default' })), undefined);
    const both = pod(
      {},
      { securityContext: { appArmorProfile: { type: 'Unconfined' }, seccompProfile: { type: 'Unconfined' } } },
      { [key]: 'runtime/default', [`container.${seccomp}c`]: 'runtime/default', [`${seccomp}pod`]: 'runtime/default' },
    );
    assert.equal(
      await refused([appArmor], both),
      `${head}[${podPath}: Forbidden: seccomp may not be set pod.metadata.annotations[${key}]: Forbidden: unconfined is not an allowed profile. Allowed values: "runtime/default" ` +
        `${containerPath}: Forbidden: seccomp may not be set]`,
    );
    assert.equal(
      await refused([listed(`${seccomp}allowedProfileNames`, 'runtime/default')], both),
      `${head}[${containerPath}: Forbidden: unconfined is not an allowed seccomp profile. Valid values are runtime/default]`,
    );
  });

  it('checks updates without changing them', async () => {
    const update = (now: TestPod, old: TestPod, policies: object[]) =>
      refused(policies, now, { operation: 'UPDATE', oldObject: old as never });
    const changing = policy('a', { readOnlyRootFilesystem: true });
    const old = container({ privileged: true });
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    assert.match((await update(labelled, old, [policy('p')])) ?? '', /Privileged containers are not allowed/);
    assert.equal(await update(labelled, old, [policy('p', { privileged: true })]), undefined);
    const plain = pod({}, {}, { x: 'y' });
    assert.equal(await update(plain, pod(), [changing]), `${head}[]`);
    assert.deepEqual(plain, pod({}, {}, { x: 'y' }));
  });

  it('ignores the garbage collector, and paths below pods', async () => {
    const old = container({ privileged: true });
    const collected = { ...old, metadata: { ...old.metadata, finalizers: ['x'] } };
    assert.equal(await refused([policy('p')], collected, { operation: 'UPDATE', oldObject: old as never }), undefined);
    assert.equal(
      await refused([policy('p')], old, { operation: 'UPDATE', subresource: 'status', oldObject: pod() as never }),
      undefined,
    );
  });

  it('validates debug containers when they are added', async () => {
    const old = pod();
    const debugged = (securityContext: object) =>
      pod({ ephemeralContainers: [{ name: 'e', securityContext }] }) as TestPod & {
        spec: { ephemeralContainers: [{ securityContext: object }] };
      };
    const add = (object: TestPod, policies: object[]) =>
      refused(policies, object, { operation: 'UPDATE', subresource: 'ephemeralcontainers', oldObject: old as never });
    assert.match(
      (await add(debugged({ privileged: true }), [policy('p')])) ?? '',
      /spec\.ephemeralContainers\[0\]\.securityContext\.privileged/,
    );
    const dropped = debugged({});
    // The pod's own containers would change too: that is too late.
    assert.equal(await add(dropped, [policy('p', { requiredDropCapabilities: ['KILL'] })]), `${head}[]`);
    const safe = pod(
      { ephemeralContainers: [{ name: 'e' }] },
      { securityContext: { capabilities: { drop: ['KILL'] } } },
    );
    assert.equal(await add(safe, [policy('p', { requiredDropCapabilities: ['KILL'] })]), undefined);
    assert.deepEqual((safe as ReturnType<typeof debugged>).spec.ephemeralContainers[0].securityContext, {
      capabilities: { drop: ['KILL'] },
    });
  });
});
