import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { TEMPLATE, workload } from '../workload-bodies.ts';
import { statefulSet } from './stateful-set.ts';

const V1 = 'apps/v1';
const V1BETA2 = 'apps/v1beta2';
const V1BETA1 = 'apps/v1beta1';
const CLAIM = {
  metadata: { name: 'd' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const errorsOf = (spec: object) => create(statefulSet, V1, workload(spec)).texts;

describe('stateful set', () => {
  it('rolls its updates out in order by default', () => {
    for (const version of [V1, V1BETA2]) {
      const { spec } = create(statefulSet, version, workload({ serviceName: 's' })).as(version);
      assert.deepEqual(spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
      assert.equal(spec.podManagementPolicy, 'OrderedReady');
      assert.equal(spec.replicas, 1);
      assert.equal(spec.revisionHistoryLimit, 10);
    }
  });

  it('leaves updates to the client in apps/v1beta1', () => {
    const { spec, metadata } = create(statefulSet, V1BETA1, {
      metadata: { name: 'x' },
      spec: { template: TEMPLATE },
    }).as(V1BETA1);
    assert.deepEqual(spec.updateStrategy, { type: 'OnDelete' });
    assert.deepEqual(spec.selector, { matchLabels: { app: 'a' } });
    assert.deepEqual(metadata.labels, { app: 'a' });
  });

  it('warns of a limit of revisions below 0 and of claims of parts of a byte', () => {
    const odd = { ...CLAIM, spec: { ...CLAIM.spec, resources: { requests: { storage: '1500m' } } } };
    const spec = { serviceName: 's', revisionHistoryLimit: -1, volumeClaimTemplates: [CLAIM, odd] };
    const made = create(statefulSet, V1, workload(spec));
    assert.deepEqual(made.texts, []);
    const set = made.as(V1);
    const warnings = [
      'spec.volumeClaimTemplates[1].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ];
    assert.deepEqual(statefulSet.warnings!(set, undefined), warnings);
    assert.deepEqual(statefulSet.warnings!(set, set), warnings);
  });

  it('completes claim templates', () => {
    const { spec } = create(statefulSet, V1, workload({ volumeClaimTemplates: [CLAIM] })).as(V1);
    assert.deepEqual(spec.volumeClaimTemplates, [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'd' },
        spec: { ...CLAIM.spec, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ]);
  });

  it('keeps the claims of its pods by default', () => {
    for (const version of [V1, V1BETA2, V1BETA1]) {
      assert.deepEqual(create(statefulSet, version, workload()).as(version).spec.persistentVolumeClaimRetentionPolicy, {
        whenDeleted: 'Retain',
        whenScaled: 'Retain',
      });
    }
    const { spec } = create(
      statefulSet,
      V1,
      workload({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }),
    ).as(V1);
    assert.deepEqual(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Delete' });
  });

  const cases: [string, object, string[]][] = [
    [
      'no selector',
      { selector: null },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'an empty selector',
      { selector: {} },
      ['spec.selector: Invalid value: {}: ' + 'empty selector is invalid for statefulset'],
    ],
    [
      'an unknown management',
      { podManagementPolicy: 'Chaos' },
      ["spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'an unknown strategy',
      { updateStrategy: { type: 'Never' } },
      [
        'spec.updateStrategy: Invalid value: {"Type":"Never","RollingUpdate":null}: ' +
          "must be 'RollingUpdate' or 'OnDelete'",
      ],
    ],
    [
      'a partition without rollout',
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 2 } } },
      [
        'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":2,"MaxUnavailable":null}: ' +
          "only allowed for updateStrategy 'RollingUpdate'",
      ],
    ],
    [
      'negative numbers',
      {
        replicas: -1,
        minReadySeconds: -1,
        ordinals: { start: -1 },
        updateStrategy: { rollingUpdate: { partition: -1 } },
      },
      [
        'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'no pod unavailable',
      { updateStrategy: { rollingUpdate: { maxUnavailable: '0%' } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0'],
    ],
    [
      'an unknown retention',
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Sell' } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Sell": supported values: "Retain", "Delete"',
      ],
    ],
    [
      'pods that end',
      { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
      ],
    ],
  ];
  for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));

  const mounting = (name: string, spec: object = {}) => ({
    ...TEMPLATE,
    spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name, mountPath: '/d' }] }], ...spec },
  });
  const created: [string, object, string[]][] = [
    ['takes mounts of claims', { template: mounting('d'), volumeClaimTemplates: [CLAIM, CLAIM] }, []],
    [
      'takes claims in place of volumes',
      { template: mounting('d', { volumes: [{ name: 'd', emptyDir: {} }] }), volumeClaimTemplates: [CLAIM] },
      [],
    ],
    [
      'refuses mounts of nothing',
      { template: mounting('x'), volumeClaimTemplates: [CLAIM] },
      ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    ],
    [
      'refuses pods without containers',
      { template: { ...TEMPLATE, spec: { containers: [] } } },
      ['spec.template.spec.containers: Required value'],
    ],
    [
      'refuses claims that ask for nothing',
      { volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: {} }] },
      [
        'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
        'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
      ],
    ],
  ];
  for (const [name, spec, expected] of created) it(name, () => assert.deepEqual(errorsOf(spec), expected));

  it('refuses a service name that is no label, and keeps one that is stored', () => {
    assert.match(
      errorsOf({ serviceName: 'a.b' })[0]!,
      /^spec\.serviceName: Invalid value: "a\.b": a lowercase RFC 1123 label must/,
    );
    const before = stored(statefulSet, V1, workload());
    before.spec.serviceName = 'a.b';
    assert.deepEqual(
      update(statefulSet, V1, before, (s) => {
        s.spec.replicas = 3;
      }).texts,
      [],
    );
  });

  it('checks changed templates, unless the stored one is wrong already', () => {
    const texts = (spoil: (old: any) => void): string[] => {
      const before = stored(statefulSet, V1, workload({ volumeClaimTemplates: [CLAIM] }));
      spoil(before);
      return update(statefulSet, V1, before, (s) => {
        s.spec.template.spec.containers = [];
        s.spec.replicas = 3;
      }).texts;
    };
    assert.deepEqual(
      texts(() => undefined),
      ['spec.template.spec.containers: Required value'],
    );
    assert.deepEqual(
      texts((old) => {
        old.spec.template.spec.containers = [];
      }),
      [],
    );
    assert.deepEqual(
      texts((old) => {
        delete old.spec.volumeClaimTemplates[0].spec.accessModes;
      }),
      ['spec.template.spec.containers: Required value'],
    );
  });

  it('changes in few places only', () => {
    const old = () => stored(statefulSet, V1, workload({ serviceName: 's', volumeClaimTemplates: [CLAIM] }));
    const forbidden =
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
      "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    assert.deepEqual(
      update(statefulSet, V1, old(), (s) => {
        s.spec.serviceName = 'y';
      }).texts,
      [forbidden],
    );
    assert.deepEqual(
      update(statefulSet, V1, old(), (s) => {
        delete s.spec.volumeClaimTemplates;
      }).texts,
      [forbidden],
    );
    const { object, texts } = update(statefulSet, V1, old(), (s) => {
      Object.assign(s.spec, {
        replicas: 3,
        minReadySeconds: 2,
        revisionHistoryLimit: 3,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
      });
      s.spec.updateStrategy.rollingUpdate.partition = 1;
    });
    assert.deepEqual(texts, []);
    assert.equal(object.metadata.generation, 2);
    assert.equal(
      update(statefulSet, V1, old(), (s) => {
        s.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      4,
    );
  });

  it('reports errors of an update', () => {
    const { texts } = update(statefulSet, V1, stored(statefulSet, V1, workload()), (s) => {
      Object.assign(s.spec, {
        replicas: -1,
        serviceName: 'y',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Later' },
      });
    });
    const retention =
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Later": supported values: "Retain", "Delete"';
    const replicas = 'spec.replicas: Invalid value: -1: must be greater than or equal to 0';
    assert.deepEqual(texts.slice(0, 2), [retention, replicas]);
    assert.equal(texts.length, 3);
    assert.match(texts[2]!, /^spec: Forbidden: updates to statefulset spec for fields other than/);
  });

  it('checks the status', () => {
    const status = {
      replicas: 1,
      readyReplicas: 0,
      currentReplicas: 2,
      updatedReplicas: 1,
      availableReplicas: 1,
      observedGeneration: -1,
    };
    const { texts } = update(
      statefulSet,
      V1,
      stored(statefulSet, V1, workload()),
      (s) => {
        s.status = status;
      },
      { subresource: 'status' },
    );
    assert.deepEqual(texts, [
      'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
      'status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas',
    ]);
  });

  it('survives every version unchanged', () => {
    const { object } = create(
      statefulSet,
      V1,
      workload({ serviceName: 's', volumeClaimTemplates: [CLAIM], ordinals: { start: 2 } }, { labels: { l: 'm' } }),
    );
    for (const version of [V1BETA2, V1BETA1]) {
      assert.deepEqual(
        serve(statefulSet, V1, decode(statefulSet, version, serve(statefulSet, version, object))),
        serve(statefulSet, V1, object),
      );
    }
  });

  it('prints a row', () => {
    const { object } = create(statefulSet, V1, workload({ replicas: 2 }));
    assert.deepEqual(cells(statefulSet, object), ['x', '0/2', '0s', 'c', 'registry.example/app:1']);
  });
});
