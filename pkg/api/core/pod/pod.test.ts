import assert from 'node:assert/strict';
import { create, decode, TEST_NOW, update } from '../../kind-testing.ts';
import type { RequestOverrides } from '../../kind-testing.ts';
import { pod } from './pod.ts';

const CHANGEABLE =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

function created(spec: object = {}, metadata: object = {}): any {
  const { object, texts } = create(pod, 'v1', {
    metadata: { name: 'p', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  assert.deepEqual(texts, []);
  return object;
}

/** The errors of a change of `old`. */
function problems(old: any, change: (pod: any) => void, overrides: RequestOverrides = {}): string[] {
  return update(pod, 'v1', old, change, overrides).texts;
}

describe('pods: creation', () => {
  it('stores the defaulted pod with a separate status', () => {
    const served = create(pod, 'v1', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running' },
    }).as('v1');
    assert.deepEqual(served.status, { phase: 'Pending', qosClass: 'BestEffort' });
    assert.equal(served.spec.enableServiceLinks, true);
    assert.equal(served.metadata.generation, 1);
  });

  it('takes the ports of the host for those of its containers', () => {
    const { spec } = created({
      hostNetwork: true,
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }],
    });
    assert.deepEqual(spec.containers[0].ports, [{ containerPort: 80, protocol: 'TCP', hostPort: 80 }]);
  });

  it('takes requests from limits', () => {
    const { spec } = created({
      containers: [
        { name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.25' } } },
      ],
    });
    assert.deepEqual(spec.containers[0].resources, {
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '250m', memory: '1Gi' },
    });
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
      assert.equal(
        created({ containers: containers.map((c, i) => ({ name: `c${i}`, image: 'i', ...c })) }).status.qosClass,
        name,
      );
    });
  }

  it('marks gated pods', () => {
    assert.deepEqual(created({ schedulingGates: [{ name: 'g' }] }).status.conditions, [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: TEST_NOW,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]);
  });

  it('takes seccomp profiles from annotations', () => {
    const { spec } = created(
      {},
      {
        annotations: {
          'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
          'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a',
        },
      },
    );
    assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' });
    assert.deepEqual(spec.containers[0].securityContext.seccompProfile, { type: 'Localhost', localhostProfile: 'a' });
  });

  it('warns of selectors that select nothing, ports of one name and names that are not valid for hosts', () => {
    const port = { name: 'web', containerPort: 80 };
    const given = created(
      {
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [port],
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
            ],
          },
          { name: 'd', image: 'i', ports: [{ ...port, containerPort: 81 }] },
        ],
        volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i' } }],
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }],
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k' }] },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'k' } }],
          },
        },
      },
      { name: 'a.b' },
    );
    const [ofName, ...others] = pod.warnings!(given, undefined);
    assert.match(
      ofName!,
      /^metadata\.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[a lowercase RFC 1123 label must /,
    );
    assert.deepEqual(others, [
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+',
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod',
    ]);
  });

  it('refuses service account tokens without a service account', () => {
    const { texts } = create(pod, 'v1', {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      },
    });
    assert.deepEqual(texts, [
      'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ]);
  });

  it('keeps both forms of the address', () => {
    assert.deepEqual(decode(pod, 'v1', { status: { podIP: '192.0.2.7' } }).status.podIPs, [{ ip: '192.0.2.7' }]);
    assert.equal(decode(pod, 'v1', { status: { podIPs: [{ ip: '192.0.2.7' }] } }).status.podIP, '192.0.2.7');
    assert.deepEqual(
      decode(pod, 'v1', { status: { podIP: '192.0.2.7', podIPs: [{ ip: '192.0.2.8' }] } }).status.podIPs,
      [{ ip: '192.0.2.7' }],
    );
  });

  it('warns of settings with an unexpected effect', () => {
    const claimOf = (storage: string) => ({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } });
    const object = created({
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      terminationGracePeriodSeconds: -1,
      imagePullSecrets: [{}],
      volumes: [
        { name: 'v', gitRepo: { repository: 'r' } },
        { name: 'e', ephemeral: { volumeClaimTemplate: { spec: claimOf('100m') } } },
      ],
      containers: [
        { name: 'c', image: 'i', env: [{ name: 'A' }, { name: 'A' }], resources: { requests: { memory: '100m' } } },
      ],
    });
    assert.deepEqual(pod.warnings!(object, undefined), [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
    assert.deepEqual(pod.warnings!(object, object), []);
  });
});

describe('pods: update', () => {
  const allowed: [string, object, (p: any) => void][] = [
    [
      'images',
      {},
      (p) => {
        p.spec.containers[0].image = 'other:2';
      },
    ],
    [
      'labels',
      {},
      (p) => {
        p.metadata.labels = { a: 'b' };
      },
    ],
    [
      'a deadline',
      {},
      (p) => {
        p.spec.activeDeadlineSeconds = 5;
      },
    ],
    [
      'an earlier deadline',
      { activeDeadlineSeconds: 9 },
      (p) => {
        p.spec.activeDeadlineSeconds = 5;
      },
    ],
    [
      'more tolerations',
      { tolerations: [{ operator: 'Exists' }] },
      (p) => {
        p.spec.tolerations.push({ key: 'k', operator: 'Exists' });
      },
    ],
    [
      'a negative grace period into 1',
      { terminationGracePeriodSeconds: -5 },
      (p) => {
        p.spec.terminationGracePeriodSeconds = 1;
      },
    ],
    [
      'fewer gates',
      { schedulingGates: [{ name: 'a' }] },
      (p) => {
        delete p.spec.schedulingGates;
      },
    ],
    [
      'the node selector behind a gate',
      { schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } },
      (p) => {
        p.spec.nodeSelector.c = 'd';
      },
    ],
  ];
  for (const [what, spec, change] of allowed)
    it(`lets clients change ${what}`, () => assert.deepEqual(problems(created(spec), change), []));

  const refused: [string, object, (p: any) => void, string[]][] = [
    [
      'other fields',
      {},
      (p) => {
        p.spec.nodeSelector = { a: 'b' };
      },
      [`${CHANGEABLE}  spec.nodeSelector: null -> {"a":"b"}`],
    ],
    [
      'other fields of containers',
      {},
      (p) => {
        p.spec.containers[0].tty = true;
      },
      [`${CHANGEABLE}  spec.containers[0].tty: null -> true`],
    ],
    [
      'the number of containers',
      {},
      (p) => {
        p.spec.containers.push({ name: 'd', image: 'i' });
      },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'a deadline into a later one',
      { activeDeadlineSeconds: 5 },
      (p) => {
        p.spec.activeDeadlineSeconds = 6;
      },
      ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    ],
    [
      'a deadline into none',
      { activeDeadlineSeconds: 5 },
      (p) => {
        delete p.spec.activeDeadlineSeconds;
      },
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    [
      'tolerations that stand',
      { tolerations: [{ operator: 'Exists' }] },
      (p) => {
        p.spec.tolerations = [];
      },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'gates into new ones',
      {},
      (p) => {
        p.spec.schedulingGates = [{ name: 'g' }];
      },
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
    ],
  ];
  for (const [what, spec, change, texts] of refused)
    it(`refuses to change ${what}`, () => assert.deepEqual(problems(created(spec), change), texts));

  it('reports errors of metadata as often as stock servers do', () => {
    assert.equal(
      problems(created(), (p) => {
        p.metadata.labels = { 'bad key!': 'x' };
      }).length,
      4,
    );
  });

  it('keeps the status', () => {
    const { object } = update(pod, 'v1', created(), (p) => {
      p.status.phase = 'Running';
    });
    assert.equal(object.status.phase, 'Pending');
  });

  it('fixes annotations that nodes have acted on', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    assert.deepEqual(
      problems(created({}, { annotations: { [key]: 'unconfined' } }), (p) => {
        p.metadata.annotations[key] = 'runtime/default';
      }),
      [`metadata.annotations[${key}]: Forbidden: may not remove or update AppArmor annotations`],
    );
  });
});

describe('pods: status', () => {
  const overrides = { subresource: 'status' };

  it('takes the status only', () => {
    const old = created({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }] });
    const { object, texts } = update(
      pod,
      'v1',
      old,
      (p) => {
        p.status = { phase: 'Running', podIP: '192.0.2.7' };
        p.spec.nodeName = 'n';
        delete p.metadata.ownerReferences;
        p.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
      },
      overrides,
    );
    assert.deepEqual(texts, []);
    assert.deepEqual(object.status, {
      phase: 'Running',
      podIP: '192.0.2.7',
      podIPs: [{ ip: '192.0.2.7' }],
      qosClass: 'BestEffort',
    });
    assert.equal(object.spec.nodeName, undefined);
    assert.equal(object.metadata.ownerReferences.length, 1);
    assert.equal(object.metadata.deletionTimestamp, undefined);
  });

  it('does not restart containers that have ended', () => {
    const old = created({ restartPolicy: 'Never' });
    const container = { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', lastState: {} };
    old.status.containerStatuses = [
      { ...container, state: { terminated: { exitCode: 1, startedAt: null, finishedAt: null } } },
    ];
    assert.deepEqual(
      problems(
        old,
        (p) => {
          p.status.containerStatuses = [{ ...container, state: { waiting: {} } }];
        },
        overrides,
      ),
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    );
  });

  it('checks names and addresses', () => {
    assert.deepEqual(
      problems(
        created(),
        (p) => {
          p.status = { podIPs: [{ ip: '192.0.2.7' }, { ip: '192.0.2.7' }], qosClass: 'Burstable' };
        },
        overrides,
      ),
      [
        'status.qosClass: Invalid value: "Burstable": field is immutable',
        'status.podIPs: Invalid value: [{"IP":"192.0.2.7"},{"IP":"192.0.2.7"}]: may specify no more than one IP for each IP family',
        'status.podIPs[1]: Duplicate value: {"IP":"192.0.2.7"}',
      ],
    );
  });
});

describe('pods: debugging containers', () => {
  const overrides = { subresource: 'ephemeralcontainers' };
  const debug = { name: 'd', image: 'i', targetContainerName: 'c' };

  it('adds them and nothing else', () => {
    const { object, texts } = update(
      pod,
      'v1',
      created(),
      (p) => {
        p.spec.ephemeralContainers = [debug];
        p.spec.nodeName = 'n';
        p.metadata.labels = { a: 'b' };
      },
      overrides,
    );
    assert.deepEqual(texts, []);
    assert.equal(object.spec.ephemeralContainers[0].imagePullPolicy, 'Always');
    assert.equal(object.spec.nodeName, undefined);
    assert.equal(object.metadata.labels, undefined);
  });

  it('keeps those that are there', () => {
    const old = update(
      pod,
      'v1',
      created(),
      (p) => {
        p.spec.ephemeralContainers = [debug];
      },
      overrides,
    ).object;
    assert.deepEqual(
      problems(
        old,
        (p) => {
          delete p.spec.ephemeralContainers;
        },
        overrides,
      ),
      ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n'],
    );
    assert.deepEqual(
      problems(
        old,
        (p) => {
          p.spec.ephemeralContainers[0].image = 'j';
        },
        overrides,
      ),
      [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n  spec.image: "i" -> "j"',
      ],
    );
  });

  it('leaves pods of the node alone', () => {
    const old = created({ nodeName: 'n' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    assert.deepEqual(
      problems(
        old,
        (p) => {
          p.spec.ephemeralContainers = [debug];
        },
        overrides,
      ),
      ['[]: Forbidden: static pods do not support ephemeral containers'],
    );
  });

  it('checks them', () => {
    const wrong = {
      name: 'c',
      image: 'i',
      targetContainerName: 'x',
      ports: [{ containerPort: 1 }],
      resources: { limits: { cpu: '1' } },
    };
    assert.deepEqual(
      problems(
        created(),
        (p) => {
          p.spec.ephemeralContainers = [wrong];
        },
        overrides,
      ),
      [
        'spec.ephemeralContainers[0].name: Duplicate value: "c"',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
      ],
    );
  });
});

describe('pods: resize', () => {
  const overrides = { subresource: 'resize' };
  const old = (): any =>
    created({
      containers: [
        { name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } } },
      ],
    });

  it('changes CPU and memory and nothing else', () => {
    const { object, texts } = update(
      pod,
      'v1',
      old(),
      (p) => {
        p.spec.containers[0].resources.requests.cpu = '2';
        p.spec.containers[0].image = 'j';
      },
      overrides,
    );
    assert.deepEqual(texts, []);
    assert.equal(object.spec.containers[0].resources.requests.cpu, '2');
    assert.equal(object.spec.containers[0].image, 'i');
  });

  it('refuses changes that a node cannot make', () => {
    assert.deepEqual(
      problems(
        old(),
        (p) => {
          p.spec.containers[0].resources = { requests: { 'ephemeral-storage': '1Gi' } };
        },
        overrides,
      ),
      [
        'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
        'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
        'spec: Forbidden: only cpu and memory resources are mutable',
      ].map((text) => text.replace('"BestEffort"', '"Burstable"')),
    );
    assert.deepEqual(
      problems(
        old(),
        (p) => {
          p.spec.containers[0].resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }];
        },
        overrides,
      ),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    );
    assert.deepEqual(
      problems(
        old(),
        (p) => {
          p.spec.containers.push({ name: 'd', image: 'i' });
        },
        overrides,
      ),
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    );
    assert.deepEqual(
      problems(
        old(),
        (p) => {
          p.spec.containers[0].name = 'd';
        },
        overrides,
      ),
      ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    );
    const unsupported = old();
    unsupported.status.containerStatuses = [
      {
        name: 'c',
        ready: true,
        restartCount: 0,
        image: '',
        imageID: '',
        lastState: {},
        state: { running: { startedAt: null } },
      },
    ];
    assert.deepEqual(
      problems(
        unsupported,
        (p) => {
          p.spec.containers[0].resources.requests.cpu = '2';
        },
        overrides,
      ),
      ['spec: Forbidden: Pod running on node without support for resize'],
    );
  });

  it('lets limits of memory fall', () => {
    assert.deepEqual(
      problems(
        old(),
        (p) => {
          p.spec.containers[0].resources.limits.memory = '1Gi';
        },
        overrides,
      ),
      [],
    );
  });

  it('resizes pods as a whole', () => {
    const whole = (): any => created({ resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '2Gi' } } });
    assert.deepEqual(
      problems(
        whole(),
        (p) => {
          Object.assign(p.spec.resources, {
            limits: { cpu: '3', memory: '1Gi' },
            requests: { cpu: '2', memory: '1Gi' },
          });
        },
        overrides,
      ),
      [],
    );
    assert.deepEqual(
      problems(
        whole(),
        (p) => {
          delete p.spec.resources;
        },
        overrides,
      ),
      [
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.resources: Forbidden: pod-level resources cannot be removed',
      ],
    );
    assert.deepEqual(
      problems(
        whole(),
        (p) => {
          delete p.spec.resources.limits.memory;
        },
        overrides,
      ),
      ['spec.resources.limits: Forbidden: pod-level resource limits cannot be removed'],
    );
    assert.deepEqual(
      problems(
        whole(),
        (p) => {
          p.spec.resources.limits['hugepages-2Mi'] = '2Mi';
        },
        overrides,
      ),
      ['spec: Forbidden: only cpu and memory resources are mutable at pod-level'],
    );
  });

  it('resizes init containers, unless that restarts them', () => {
    const init = (more: object = {}): any =>
      created({ initContainers: [{ name: 'i', image: 'i', resources: { requests: { cpu: '1' } }, ...more }] });
    const grow = (p: any): void => void (p.spec.initContainers[0].resources.requests.cpu = '2'); // `any`: any served shape
    assert.deepEqual(
      [problems(init(), grow, overrides), problems(init({ restartPolicy: 'Always' }), grow, overrides)],
      [[], []],
    );
    const aged = init();
    aged.spec.initContainers[0].resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    assert.deepEqual(problems(aged, grow, overrides), [
      'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
    ]);
    assert.deepEqual(
      problems(
        init(),
        (p) => {
          p.spec.initContainers[0].resources.limits = { 'example.com/gpu': '1' };
        },
        overrides,
      ),
      ['spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable'],
    );
    const { texts } = create(pod, 'v1', {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        initContainers: [
          { name: 'i', image: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ],
      },
    });
    assert.deepEqual(texts, [
      'spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
    ]);
  });

  it('leaves pods of nodes and of Windows alone', () => {
    const mirror = created({ nodeName: 'n' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    assert.deepEqual(
      problems(mirror, () => {}, overrides),
      ['[]: Forbidden: static pods cannot be resized'],
    );
    assert.deepEqual(
      problems(created({ os: { name: 'windows' } }), () => {}, overrides),
      ['[]: Forbidden: windows pods cannot be resized'],
    );
  });
});

describe('pods: resources of the whole', () => {
  const c = (name: string, resources: object, more: object = {}): object => ({ name, image: 'i', resources, ...more });

  it('requests the sum of its containers, else its limits', () => {
    const limits = { cpu: '4', memory: '4Gi' };
    const { spec, status } = created({
      resources: { limits },
      containers: [c('a', { requests: { cpu: '1' } }), c('b', { requests: { cpu: '500m' } })],
      initContainers: [
        c('s', { requests: { cpu: '250m' } }, { restartPolicy: 'Always' }),
        c('i', { requests: { cpu: '3' } }),
      ],
    });
    assert.deepEqual(spec.resources, { limits, requests: { cpu: '3250m', memory: '4Gi' } });
    assert.equal(status.qosClass, 'Burstable');
  });

  it('is guaranteed by what the pod says, whatever its containers say', () => {
    assert.equal(created({ resources: { limits: { cpu: '1', memory: '1Gi' } } }).status.qosClass, 'Guaranteed');
    assert.equal(created({ resources: { requests: { cpu: '1' } } }).status.qosClass, 'Burstable');
    assert.equal(
      created({ resources: {}, containers: [c('c', { limits: { cpu: '1', memory: '1Gi' } })] }).status.qosClass,
      'BestEffort',
    );
  });

  it('takes limits of huge pages from its containers', () => {
    const { spec } = created({
      resources: { limits: { cpu: '1' } },
      containers: [c('c', { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } })],
    });
    assert.deepEqual(spec.resources, {
      limits: { cpu: '1', 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '1', 'hugepages-2Mi': '4Mi' },
    });
  });

  const refused: [string, object, string[]][] = [
    [
      'other resources',
      { resources: { limits: { 'ephemeral-storage': '1Gi' } } },
      [
        'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
      ],
    ],
    [
      'less than its containers request',
      {
        resources: { requests: { cpu: '1' } },
        containers: [c('a', { requests: { cpu: '1' } })],
        initContainers: [c('s', { requests: { cpu: '1' } }, { restartPolicy: 'Always' })],
      },
      [
        'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      ],
    ],
    [
      'less than one of its containers may take',
      {
        resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
        containers: [c('a', { limits: { cpu: '2' }, requests: { cpu: '1' } })],
      },
      ['spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1'],
    ],
    [
      'claims',
      {
        resources: { claims: [{ name: 'x' }], requests: { cpu: '1' } },
        resourceClaims: [{ name: 'x', resourceClaimName: 'y' }],
      },
      ['spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level'],
    ],
    [
      'any, on Windows',
      { os: { name: 'windows' }, resources: { requests: { cpu: '1' } } },
      ['spec.resources: Forbidden: may not be set for a windows pod'],
    ],
  ];
  for (const [name, spec, expected] of refused) {
    it(`refuses ${name}`, () =>
      assert.deepEqual(
        create(pod, 'v1', {
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
        }).texts.filter((t) => /spec\.resources/.test(t)),
        expected,
      ));
  }
});

describe('pods: generations', () => {
  it('count changes of the spec, through any path, but not assignment to a node', () => {
    const change = (from: any, name: string | undefined, edit: (p: any) => void): any =>
      update(pod, 'v1', from, edit, name === undefined ? {} : { subresource: name }).object; // `any`: any served shape
    const first = created();
    assert.equal(
      change(first, undefined, (p) => {
        p.metadata.labels = { a: 'b' };
      }).metadata.generation,
      1,
    );
    const second = change(first, undefined, (p) => {
      p.spec.containers[0].image = 'j';
    });
    assert.equal(second.metadata.generation, 2);
    assert.equal(
      change(second, 'resize', (p) => {
        p.spec.containers[0].resources = { requests: { cpu: '1' } };
      }).metadata.generation,
      3,
    );
    assert.equal(
      change(second, 'ephemeralcontainers', (p) => {
        p.spec.ephemeralContainers = [{ name: 'e', image: 'i' }];
      }).metadata.generation,
      3,
    );
    assert.equal(
      change(second, 'status', (p) => {
        p.status.phase = 'Running';
        p.spec.nodeName = 'n';
      }).metadata.generation,
      2,
    );
    assert.equal(
      change(second, 'binding', (p) => {
        p.spec.nodeName = 'n';
      }).metadata.generation,
      2,
    );
  });

  it('stay where a writer does not send them', () => {
    const old = created();
    old.status = {
      ...old.status,
      observedGeneration: 3,
      conditions: [
        { type: 'Ready', status: 'True', observedGeneration: 2 },
        { type: 'Ready', status: 'False', observedGeneration: 1 },
      ],
    };
    const write = (status: object): any =>
      update(
        pod,
        'v1',
        old,
        (p) => {
          p.status = status;
        },
        { subresource: 'status' },
      ); // `any`: any served shape
    const kept = write({
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Ready', status: 'True' },
        { type: 'Ready', status: 'True' },
        { type: 'Initialized', status: 'True' },
      ],
    }).object.status;
    assert.deepEqual(
      [kept.observedGeneration, kept.conditions.map((x: any) => x.observedGeneration)],
      [3, [2, 1, undefined, undefined]],
    ); // `any`: any condition
    const set = write({
      observedGeneration: 4,
      conditions: [{ type: 'Ready', status: 'False', observedGeneration: 4 }],
    }).object.status;
    assert.deepEqual([set.observedGeneration, set.conditions[0].observedGeneration], [4, 4]);
    assert.deepEqual(
      write({ observedGeneration: -1, conditions: [{ type: 'Ready', status: 'False', observedGeneration: -2 }] }).texts,
      [
        'status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative integer',
        'status.observedGeneration: Invalid value: -1: must be a non-negative integer',
      ],
    );
  });
});

describe('pods: containers that may run again', () => {
  const ended = { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', lastState: {} };
  const again = (spec: object, exitCode: number): string[] => {
    const old = created(spec);
    old.status.containerStatuses = [
      { ...ended, state: { terminated: { exitCode, startedAt: null, finishedAt: null } } },
    ];
    return problems(
      old,
      (p) => {
        p.status.containerStatuses = [{ ...ended, state: { waiting: {} } }];
      },
      { subresource: 'status' },
    );
  };
  const own = (restartPolicy: string, ...rules: object[]): object => ({
    restartPolicy: 'Never',
    containers: [{ name: 'c', image: 'i', restartPolicy, ...(rules.length > 0 ? { restartPolicyRules: rules } : {}) }],
  });
  const on = (action: string, operator: string, ...values: number[]): object => ({
    action,
    exitCodes: { operator, values },
  });
  const cases: [string, object, number, boolean][] = [
    ['always', { restartPolicy: 'Always' }, 0, true],
    ['on failure, after one', { restartPolicy: 'OnFailure' }, 1, true],
    ['on failure, after success', { restartPolicy: 'OnFailure' }, 0, false],
    ['its own policy', own('OnFailure'), 1, true],
    ['its own policy after success', own('OnFailure'), 0, false],
    ['a rule', own('Never', on('Restart', 'In', 42)), 42, true],
    ['a rule of others', own('Never', on('Restart', 'In', 42)), 1, false],
    ['a rule of all but some', own('Never', on('Restart', 'NotIn', 42)), 1, true],
    ['a rule that restarts all', own('Never', on('RestartAllContainers', 'In', 42)), 1, true],
  ];
  for (const [name, spec, exitCode, allowed] of cases) {
    it(`follows ${name}`, () =>
      assert.deepEqual(
        again(spec, exitCode),
        allowed
          ? []
          : ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
      ));
  }

  it('checks nominations and devices', () => {
    const bound = created({
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i', resources: { limits: { 'example.com/gpu': '1' } } }],
    });
    assert.deepEqual(
      problems(
        bound,
        (p) => {
          p.status.nominatedNodeName = 'm';
        },
        { subresource: 'status' },
      ),
      ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node'],
    );
    const device = (name: string, ...resources: object[]): string[] =>
      problems(
        bound,
        (p) => {
          p.status.containerStatuses = [{ ...ended, state: {}, allocatedResourcesStatus: [{ name, resources }] }];
        },
        { subresource: 'status' },
      );
    assert.deepEqual(device('example.com/gpu', { resourceID: 'a', health: 'Healthy' }), []);
    const at = 'status.containerStatuses[0].allocatedResourcesStatus[0]';
    assert.deepEqual(device('claim:x', { resourceID: 'a', health: 'Fine' }, { resourceID: 'a', health: 'Unknown' }), [
      `${at}.name: Invalid value: "claim:x": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty`,
      `${at}.resources[0].health: Unsupported value: "Fine": supported values: "Healthy", "Unhealthy", "Unknown"`,
      `${at}.resources[1].resourceID: Duplicate value: "a"`,
    ]);
  });
});

describe('pods: deletion and selection', () => {
  const periods: [object, object, number, number?][] = [
    [{}, {}, 0],
    [{ nodeName: 'n' }, {}, 30],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 5 }, {}, 5],
    [{ nodeName: 'n', terminationGracePeriodSeconds: -5 }, {}, 1],
    [{ nodeName: 'n' }, { phase: 'Succeeded' }, 0],
    [{ nodeName: 'n' }, { phase: 'Failed' }, 0],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 0],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 20, 20],
    [{ nodeName: 'n' }, {}, 0, 0],
    [{}, {}, 0, 20],
    [{ nodeName: 'n' }, { phase: 'Succeeded' }, 0, 20],
  ];
  for (const [spec, status, seconds, asked] of periods) {
    it(`gives ${JSON.stringify({ ...spec, ...status, asked })} ${seconds} s`, () =>
      assert.equal(pod.gracePeriodSeconds!(decode(pod, 'v1', { spec, status }), asked), seconds));
  }

  it('keeps grace periods beyond the safe integers', () => {
    const object = decode(pod, 'v1', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 9007199254740993n } });
    assert.equal(pod.gracePeriodSeconds!(object), 9007199254740993n as unknown as number);
    const { texts } = create(pod, 'v1', {
      metadata: { name: 'p' },
      spec: {
        terminationGracePeriodSeconds: 9007199254740993n,
        activeDeadlineSeconds: 9007199254740993n,
        containers: [{ name: 'c', image: 'i' }],
      },
    });
    assert.deepEqual(texts, [
      'spec.activeDeadlineSeconds: Invalid value: 9007199254740993: must be between 1 and 2147483647, inclusive',
    ]);
  });

  it('selects by fields', () => {
    const object = decode(pod, 'v1', {
      spec: { nodeName: 'n', serviceAccountName: 's' },
      status: { phase: 'Running', podIP: '192.0.2.7' },
    });
    const values = Object.entries(pod.fieldLabels!).map(([name, value]) => [name, value(object)]);
    assert.deepEqual(Object.fromEntries(values), {
      'spec.nodeName': 'n',
      'spec.host': 'n',
      'spec.restartPolicy': 'Always',
      'spec.schedulerName': 'default-scheduler',
      'spec.serviceAccountName': 's',
      'spec.hostNetwork': 'false',
      'status.phase': 'Running',
      'status.podIP': '192.0.2.7',
      'status.podIPs': '',
      'status.nominatedNodeName': '',
    });
  });
});
