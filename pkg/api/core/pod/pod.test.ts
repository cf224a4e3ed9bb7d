import assert from 'node:assert/strict';
import { create, decode, update } from '../../kind-testing.ts';
import type { RequestOverrides } from '../../kind-testing.ts';
import { pod } from './pod.ts';

const CHANGEABLE = 'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, '
  + '`spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

function created(spec: object = {}, metadata: object = {}): any {
  const { object, texts } = create(pod, 'v1', { metadata: { name: 'p', ...metadata }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
  assert.deepEqual(texts, []);
  return object;
}

/** What is said of a change of `old`. */
function problems(old: any, change: (pod: any) => void, overrides: RequestOverrides = {}): string[] {
  return update(pod, 'v1', old, change, overrides).texts;
}

describe('pods: creation', () => {
  it('stores the defaulted pod with a status of its own', () => {
    const served = create(pod, 'v1', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] }, status: { phase: 'Running' } }).as('v1');
    assert.deepEqual(served.status, { phase: 'Pending', qosClass: 'BestEffort' });
    assert.equal(served.spec.enableServiceLinks, true);
    assert.equal(served.metadata.generation, undefined);
  });

  it('takes requests from limits', () => {
    const { spec } = created({ containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.25' } } }] });
    assert.deepEqual(spec.containers[0].resources, { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '250m', memory: '1Gi' } });
  });

  const limits = { cpu: '1', memory: '1Gi' };
  const classes: [string, object[]][] = [
    ['BestEffort', [{}]],
    ['BestEffort', [{ resources: { requests: { cpu: '0', 'ephemeral-storage': '1Gi' } } }]],
    ['Burstable', [{ resources: { requests: { cpu: '1' } } }]],
    ['Burstable', [{ resources: { limits } }, {}]],
    ['Burstable', [{ resources: { limits, requests: { cpu: '500m' } } }]],
    ['Guaranteed', [{ resources: { limits } }]],
    ['Guaranteed', [{ resources: { limits, requests: { cpu: '1000m' } } }, { resources: { limits } }]],
  ];
  for (const [name, containers] of classes) {
    it(`calls ${JSON.stringify(containers)} ${name}`, () => {
      assert.equal(created({ containers: containers.map((c, i) => ({ name: `c${i}`, image: 'i', ...c })) }).status.qosClass, name);
    });
  }

  it('marks gated pods', () => {
    assert.equal(created({ schedulingGates: [{ name: 'g' }] }).status.conditions[0].reason, 'SchedulingGated');
  });

  it('takes seccomp profiles from annotations', () => {
    const { spec } = created({}, { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default', 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a' } });
    assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' });
    assert.deepEqual(spec.containers[0].securityContext.seccompProfile, { type: 'Localhost', localhostProfile: 'a' });
  });

  it('refuses service account tokens without a service account', () => {
    const { texts } = create(pod, 'v1', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] } });
    assert.deepEqual(texts, ['spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set']);
  });

  it('keeps both forms of the address', () => {
    assert.deepEqual(decode(pod, 'v1', { status: { podIP: '192.0.2.7' } }).status.podIPs, [{ ip: '192.0.2.7' }]);
    assert.equal(decode(pod, 'v1', { status: { podIPs: [{ ip: '192.0.2.7' }] } }).status.podIP, '192.0.2.7');
    assert.deepEqual(decode(pod, 'v1', { status: { podIP: '192.0.2.7', podIPs: [{ ip: '192.0.2.8' }] } }).status.podIPs, [{ ip: '192.0.2.7' }]);
  });

  it('warns of what does not do what it looks like', () => {
    const object = created({
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' }, terminationGracePeriodSeconds: -1, imagePullSecrets: [{}], volumes: [{ name: 'v', gitRepo: { repository: 'r' } }],
      containers: [{ name: 'c', image: 'i', env: [{ name: 'A' }, { name: 'A' }], resources: { requests: { memory: '100m' } } }],
    });
    assert.deepEqual(pod.warnings!(object, undefined), [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.volumes[0].gitRepo: deprecated in v1.11',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].env[1].name: duplicate name "A"',
      'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
    assert.deepEqual(pod.warnings!(object, object), []);
  });
});

describe('pods: update', () => {
  const allowed: [string, object, (p: any) => void][] = [
    ['images', {}, (p) => { p.spec.containers[0].image = 'other:2'; }],
    ['labels', {}, (p) => { p.metadata.labels = { a: 'b' }; }],
    ['a deadline', {}, (p) => { p.spec.activeDeadlineSeconds = 5; }],
    ['an earlier deadline', { activeDeadlineSeconds: 9 }, (p) => { p.spec.activeDeadlineSeconds = 5; }],
    ['more tolerations', { tolerations: [{ operator: 'Exists' }] }, (p) => { p.spec.tolerations.push({ key: 'k', operator: 'Exists' }); }],
    ['a negative grace period into 1', { terminationGracePeriodSeconds: -5 }, (p) => { p.spec.terminationGracePeriodSeconds = 1; }],
    ['fewer gates', { schedulingGates: [{ name: 'a' }] }, (p) => { delete p.spec.schedulingGates; }],
    ['the node selector behind a gate', { schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } }, (p) => { p.spec.nodeSelector.c = 'd'; }],
  ];
  for (const [what, spec, change] of allowed) it(`lets clients change ${what}`, () => assert.deepEqual(problems(created(spec), change), []));

  const refused: [string, object, (p: any) => void, string[]][] = [
    ['other fields', {}, (p) => { p.spec.nodeSelector = { a: 'b' }; }, [`${CHANGEABLE}  spec.nodeSelector: null -> {"a":"b"}`]],
    ['other fields of containers', {}, (p) => { p.spec.containers[0].tty = true; }, [`${CHANGEABLE}  spec.containers[0].tty: null -> true`]],
    ['the number of containers', {}, (p) => { p.spec.containers.push({ name: 'd', image: 'i' }); }, ['spec.containers: Forbidden: pod updates may not add or remove containers']],
    ['a deadline into a later one', { activeDeadlineSeconds: 5 }, (p) => { p.spec.activeDeadlineSeconds = 6; }, ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value']],
    ['a deadline into none', { activeDeadlineSeconds: 5 }, (p) => { delete p.spec.activeDeadlineSeconds; }, ['spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value']],
    ['tolerations that stand', { tolerations: [{ operator: 'Exists' }] }, (p) => { p.spec.tolerations = []; }, ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds']],
    ['gates into new ones', {}, (p) => { p.spec.schedulingGates = [{ name: 'g' }]; }, ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"]],
  ];
  for (const [what, spec, change, texts] of refused) it(`refuses to change ${what}`, () => assert.deepEqual(problems(created(spec), change), texts));

  it('says of metadata as often as stock servers do', () => {
    assert.equal(problems(created(), (p) => { p.metadata.labels = { 'bad key!': 'x' }; }).length, 4);
  });

  it('keeps the status', () => {
    const { object } = update(pod, 'v1', created(), (p) => { p.status.phase = 'Running'; });
    assert.equal(object.status.phase, 'Pending');
  });

  it('fixes annotations that nodes have acted on', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    assert.deepEqual(problems(created({}, { annotations: { [key]: 'unconfined' } }), (p) => { p.metadata.annotations[key] = 'runtime/default'; }), [
      `metadata.annotations[${key}]: Forbidden: may not remove or update AppArmor annotations`,
    ]);
  });
});

describe('pods: status', () => {
  const overrides = { subresource: 'status' };

  it('takes the status only', () => {
    const old = created({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }] });
    const { object, texts } = update(pod, 'v1', old, (p) => {
      p.status = { phase: 'Running', podIP: '192.0.2.7' };
      p.spec.nodeName = 'n';
      delete p.metadata.ownerReferences;
      p.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    }, overrides);
    assert.deepEqual(texts, []);
    assert.deepEqual(object.status, { phase: 'Running', podIP: '192.0.2.7', podIPs: [{ ip: '192.0.2.7' }], qosClass: 'BestEffort' });
    assert.equal(object.spec.nodeName, undefined);
    assert.equal(object.metadata.ownerReferences.length, 1);
    assert.equal(object.metadata.deletionTimestamp, undefined);
  });

  it('does not bring back what has ended', () => {
    const old = created({ restartPolicy: 'Never' });
    const container = { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', lastState: {} };
    old.status.containerStatuses = [{ ...container, state: { terminated: { exitCode: 1, startedAt: null, finishedAt: null } } }];
    assert.deepEqual(problems(old, (p) => { p.status.containerStatuses = [{ ...container, state: { waiting: {} } }]; }, overrides), [
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });

  it('checks names and addresses', () => {
    assert.deepEqual(problems(created(), (p) => { p.status = { podIPs: [{ ip: '192.0.2.7' }, { ip: '192.0.2.7' }], qosClass: 'Burstable' }; }, overrides), [
      'status.qosClass: Invalid value: "Burstable": field is immutable',
      'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"192.0.2.7"}, core.PodIP{IP:"192.0.2.7"}}: may specify no more than one IP for each IP family',
      'status.podIPs[1]: Duplicate value: core.PodIP{IP:"192.0.2.7"}',
    ]);
  });
});

describe('pods: debugging containers', () => {
  const overrides = { subresource: 'ephemeralcontainers' };
  const debug = { name: 'd', image: 'i', targetContainerName: 'c' };

  it('adds them and nothing else', () => {
    const { object, texts } = update(pod, 'v1', created(), (p) => {
      p.spec.ephemeralContainers = [debug];
      p.spec.nodeName = 'n';
      p.metadata.labels = { a: 'b' };
    }, overrides);
    assert.deepEqual(texts, []);
    assert.equal(object.spec.ephemeralContainers[0].imagePullPolicy, 'Always');
    assert.equal(object.spec.nodeName, undefined);
    assert.equal(object.metadata.labels, undefined);
  });

  it('keeps those that are there', () => {
    const old = update(pod, 'v1', created(), (p) => { p.spec.ephemeralContainers = [debug]; }, overrides).object;
    assert.deepEqual(problems(old, (p) => { delete p.spec.ephemeralContainers; }, overrides), [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n',
    ]);
    assert.deepEqual(problems(old, (p) => { p.spec.ephemeralContainers[0].image = 'j'; }, overrides), [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n  spec.image: "i" -> "j"',
    ]);
  });

  it('leaves pods of the node alone', () => {
    const old = created({ nodeName: 'n' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    assert.deepEqual(problems(old, (p) => { p.spec.ephemeralContainers = [debug]; }, overrides), ['[]: Forbidden: static pods do not support ephemeral containers']);
  });

  it('checks them', () => {
    const wrong = { name: 'c', image: 'i', targetContainerName: 'x', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } };
    assert.deepEqual(problems(created(), (p) => { p.spec.ephemeralContainers = [wrong]; }, overrides), [
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
    ]);
  });
});

describe('pods: resize', () => {
  const overrides = { subresource: 'resize' };
  const old = (): any => created({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } } }] });

  it('changes CPU and memory and nothing else', () => {
    const { object, texts } = update(pod, 'v1', old(), (p) => {
      p.spec.containers[0].resources.requests.cpu = '2';
      p.spec.containers[0].image = 'j';
    }, overrides);
    assert.deepEqual(texts, []);
    assert.equal(object.spec.containers[0].resources.requests.cpu, '2');
    assert.equal(object.spec.containers[0].image, 'i');
  });

  it('refuses what a node cannot do', () => {
    assert.deepEqual(problems(old(), (p) => { p.spec.containers[0].resources = { requests: { 'ephemeral-storage': '1Gi' } }; }, overrides), [
      'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
      'spec: Forbidden: only cpu and memory resources are mutable',
    ].map((text) => text.replace('"BestEffort"', '"Burstable"')));
    assert.deepEqual(problems(old(), (p) => { p.spec.containers[0].resources.limits.memory = '1Gi'; }, overrides), [
      'spec.containers[0].resources.limits[memory]: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer',
    ]);
  });
});

describe('pods: deletion and selection', () => {
  const periods: [object, object, number, number?][] = [
    [{}, {}, 0], [{ nodeName: 'n' }, {}, 30], [{ nodeName: 'n', terminationGracePeriodSeconds: 5 }, {}, 5], [{ nodeName: 'n', terminationGracePeriodSeconds: -5 }, {}, 1],
    [{ nodeName: 'n' }, { phase: 'Succeeded' }, 0], [{ nodeName: 'n' }, { phase: 'Failed' }, 0],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 0], [{ nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 20, 20], [{ nodeName: 'n' }, {}, 0, 0],
    [{}, {}, 0, 20], [{ nodeName: 'n' }, { phase: 'Succeeded' }, 0, 20],
  ];
  for (const [spec, status, seconds, asked] of periods) {
    it(`gives ${JSON.stringify({ ...spec, ...status, asked })} ${seconds} s`, () => assert.equal(pod.gracePeriodSeconds!(decode(pod, 'v1', { spec, status }), asked), seconds));
  }

  it('keeps grace periods beyond the safe integers', () => {
    const object = decode(pod, 'v1', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 9007199254740993n } });
    assert.equal(pod.gracePeriodSeconds!(object), 9007199254740993n as unknown as number);
    const { texts } = create(pod, 'v1', { metadata: { name: 'p' }, spec: { terminationGracePeriodSeconds: 9007199254740993n, activeDeadlineSeconds: 9007199254740993n, containers: [{ name: 'c', image: 'i' }] } });
    assert.deepEqual(texts, ['spec.activeDeadlineSeconds: Invalid value: 9007199254740993: must be between 1 and 2147483647, inclusive']);
  });

  it('selects by fields', () => {
    const object = decode(pod, 'v1', { spec: { nodeName: 'n', serviceAccountName: 's' }, status: { phase: 'Running', podIP: '192.0.2.7' } });
    const values = Object.entries(pod.fieldLabels!).map(([name, value]) => [name, value(object)]);
    assert.deepEqual(Object.fromEntries(values), {
      'spec.nodeName': 'n', 'spec.host': 'n', 'spec.restartPolicy': 'Always', 'spec.schedulerName': 'default-scheduler', 'spec.serviceAccountName': 's', 'spec.hostNetwork': 'false',
      'status.phase': 'Running', 'status.podIP': '192.0.2.7', 'status.podIPs': '', 'status.nominatedNodeName': '',
    });
  });
});
