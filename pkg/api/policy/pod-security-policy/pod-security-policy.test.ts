import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { podSecurityPolicy as policy } from './pod-security-policy.ts';

const V1BETA1 = 'policy/v1beta1';
const EXTENSIONS = 'extensions/v1beta1';
const ANY = { rule: 'RunAsAny' };
const OPEN = { seLinux: ANY, runAsUser: ANY, supplementalGroups: ANY, fsGroup: ANY };

function body(spec: object = {}, metadata: object = {}): object {
  return { metadata: { name: 'p', ...metadata }, spec: { ...OPEN, ...spec } };
}

const errorsOf = (spec: object) => create(policy, V1BETA1, body(spec)).texts;

describe('pod security policy', () => {
  it('lets privileges grow by default', () => {
    for (const version of [V1BETA1, EXTENSIONS]) {
      const served = create(policy, version, body()).as(version);
      assert.equal(served.spec.allowPrivilegeEscalation, true);
      assert.equal(served.metadata.generation, undefined);
      assert.equal(served.metadata.namespace, undefined);
    }
  });

  const cases: [string, object, string[]][] = [
    [
      'missing rules',
      { seLinux: {}, runAsUser: {}, supplementalGroups: {}, fsGroup: {} },
      [
        'spec.runAsUser.rule: Unsupported value: "": supported values: "MustRunAs", "MustRunAsNonRoot", "RunAsAny"',
        'spec.seLinux.rule: Unsupported value: "": supported values: "MustRunAs", "RunAsAny"',
        'spec.supplementalGroups.rule: Unsupported value: "": supported values: "MayRunAs", "MustRunAs", "RunAsAny"',
        'spec.fsGroup.rule: Unsupported value: "": supported values: "MayRunAs", "MustRunAs", "RunAsAny"',
      ],
    ],
    [
      'odd ranges',
      {
        runAsUser: { rule: 'MustRunAs', ranges: [{ min: -1, max: 5 }] },
        fsGroup: { rule: 'MustRunAs', ranges: [{ min: 5, max: -4 }] },
      },
      [
        'spec.runAsUser.ranges[0].min: Invalid value: -1: min cannot be negative',
        'spec.fsGroup.ranges[0].max: Invalid value: -4: max cannot be negative',
        'spec.fsGroup.ranges[0].min: Invalid value: 5: min cannot be greater than max',
      ],
    ],
    [
      'capabilities both ways',
      { requiredDropCapabilities: ['A'], defaultAddCapabilities: ['A'], allowedCapabilities: ['*', 'A'] },
      [
        'requiredDropCapabilities: Invalid value: ["A"]: must be empty when all capabilities are allowed by a wildcard',
        'defaultAddCapabilities: Invalid value: "A": capability is listed in defaultAddCapabilities and requiredDropCapabilities',
        'allowedCapabilities: Invalid value: "A": capability is listed in allowedCapabilities and requiredDropCapabilities',
      ],
    ],
    [
      'escalation by default alone',
      { defaultAllowPrivilegeEscalation: true, allowPrivilegeEscalation: false },
      [
        'spec.defaultAllowPrivilegeEscalation: Invalid value: true: Cannot set DefaultAllowPrivilegeEscalation to true without also setting ' +
          'AllowPrivilegeEscalation to true',
      ],
    ],
    [
      'host paths that climb',
      { allowedHostPaths: [{ pathPrefix: '/a/../b' }, {}] },
      [
        'spec.allowedHostPaths[0]: Invalid value: "/a/../b": must not contain \'..\'',
        'spec.allowedHostPaths[1]: Required value: is required',
      ],
    ],
    [
      'a driver without name',
      { allowedFlexVolumes: [{}] },
      ['spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver'],
    ],
    [
      'odd sysctls',
      { allowedUnsafeSysctls: ['', '*', 'A'] },
      [
        'spec.allowedUnsafeSysctls[0]: Invalid value: "": empty sysctl not allowed',
        'spec.allowedUnsafeSysctls[2]: Invalid value: "A": must have at most 253 characters and match regex ' +
          '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]',
        "spec.allowedUnsafeSysctls.items: Forbidden: if '*' is present, must not specify other sysctls",
      ],
    ],
    [
      'sysctls both ways',
      { allowedUnsafeSysctls: ['kernel.*', 'net.ipv4.a'], forbiddenSysctls: ['kernel.shm*', 'net.*', 'net.ipv4.a'] },
      [
        'spec.forbiddenSysctls[0]: Invalid value: "kernel.shm*": sysctl overlaps with kernel.*',
        'spec.allowedUnsafeSysctls[1]: Invalid value: "net.ipv4.a": sysctl overlaps with net.*',
        'spec.allowedUnsafeSysctls[1]: Invalid value: "net.ipv4.a": sysctl overlaps with net.ipv4.a',
      ],
    ],
  ];
  for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));

  it('refuses unknown volumes', () => {
    assert.match(
      errorsOf({ volumes: ['secret', 'floppy'] }).join(),
      /^spec\.volumes: Unsupported value: "floppy": supported values: "\*", "awsElasticBlockStore", /,
    );
  });

  it('refuses lists of sysctls that would take long to compare', () => {
    const names = (prefix: string) => Array.from({ length: 1001 }, (_, i) => `${prefix}${i}`);
    assert.deepEqual(errorsOf({ allowedUnsafeSysctls: names('a'), forbiddenSysctls: names('b') }), [
      'spec.allowedUnsafeSysctls: Too many: 1001: must have at most 1000 items',
    ]);
  });

  it('refuses unknown profiles', () => {
    const annotations = {
      'apparmor.security.beta.kubernetes.io/defaultProfileName': 'mine',
      'apparmor.security.beta.kubernetes.io/allowedProfileNames': 'runtime/default,localhost/x,mine',
      'seccomp.security.alpha.kubernetes.io/defaultProfileName': 'mine',
      'seccomp.security.alpha.kubernetes.io/allowedProfileNames': '*,docker/default,localhost/../x',
    };
    assert.deepEqual(create(policy, V1BETA1, body({}, { annotations })).texts, [
      'metadata.annotations[apparmor.security.beta.kubernetes.io/defaultProfileName]: Invalid value: "mine": invalid AppArmor profile name: "mine"',
      'metadata.annotations[apparmor.security.beta.kubernetes.io/allowedProfileNames]: Invalid value: "runtime/default,localhost/x,mine": ' +
        'invalid AppArmor profile name: "mine"',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/defaultProfileName]: Invalid value: "mine": must be a valid seccomp profile',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/allowedProfileNames]: Invalid value: "../x": must not contain \'..\'',
    ]);
  });

  it('is returned by its deletion', () => {
    assert.equal(policy.returnDeletedObject, true);
  });

  it('is checked again in updates', () => {
    const old = stored(policy, V1BETA1, body());
    assert.equal(
      update(policy, V1BETA1, old, (p) => {
        p.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      3,
    );
    assert.equal(
      update(policy, EXTENSIONS, old, (p) => {
        p.spec.seLinux.rule = 'Off';
      }).texts.length,
      1,
    );
  });

  it('survives extensions/v1beta1 unchanged', () => {
    const { object } = create(policy, V1BETA1, body({ hostPorts: [{ min: 1, max: 2 }], volumes: ['*'] }));
    assert.deepEqual(
      serve(policy, V1BETA1, decode(policy, EXTENSIONS, serve(policy, EXTENSIONS, object))),
      serve(policy, V1BETA1, object),
    );
  });

  it('prints a row', () => {
    const { object } = create(
      policy,
      V1BETA1,
      body({ privileged: true, allowedCapabilities: ['A', 'B'], volumes: ['secret', 'nfs'] }),
    );
    assert.deepEqual(cells(policy, object), [
      'p',
      'true',
      'A,B',
      'RunAsAny',
      'RunAsAny',
      'RunAsAny',
      'RunAsAny',
      false,
      'secret,nfs',
    ]);
  });
});
