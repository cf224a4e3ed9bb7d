import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { flowSchema } from './flow-schema/flow-schema.ts';
import { FLOWCONTROL_GROUP, FLOWCONTROL_V1 } from './flowcontrol-group.ts';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from './mandatory-objects.ts';
import { PRESERVE_ZERO_ANNOTATION } from './priority-level-configuration/conversion.ts';
import { priorityLevelConfiguration } from './priority-level-configuration/priority-level-configuration.ts';

const metadata = { name: 'f' };
const BETAS = ['v1beta1', 'v1beta2', 'v1beta3'].map((version) => `${FLOWCONTROL_GROUP}/${version}`);

describe('flow schema', () => {
  const spec = { priorityLevelConfiguration: { name: 'global-default' } };
  const problems = (change: object, name = 'f'): string[] =>
    create(flowSchema, FLOWCONTROL_V1, { metadata: { name }, spec: { ...spec, ...change } }).texts;

  it('is filled in and printed', () => {
    for (const version of [FLOWCONTROL_V1, ...BETAS]) {
      const object = stored(flowSchema, version, { metadata, spec });
      assert.deepEqual(cells(flowSchema, object), ['f', 'global-default', 1000, '<none>', '0s', '?']);
    }
  });

  it('refuses odd precedence, methods and rules', () => {
    assert.deepEqual(
      problems({ matchingPrecedence: 1, distinguisherMethod: { type: 'X' }, priorityLevelConfiguration: {} }),
      [
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
        'spec.distinguisherMethod.type: Unsupported value: {"Type":"X"}: supported values: "ByNamespace", "ByUser"',
        'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      ],
    );
    assert.deepEqual(problems({ rules: [{}] }), [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ]);
    const subjects = [
      { kind: 'User', group: { name: 'g' } },
      { kind: 'ServiceAccount', serviceAccount: {} },
      { kind: 'Robot' },
    ];
    const nonResourceRules = [{ verbs: ['*', 'get'], nonResourceURLs: ['x', '/a*', '/a//b', '/ok/*', ''] }];
    assert.deepEqual(
      problems({
        rules: [
          {
            subjects,
            nonResourceRules,
            resourceRules: [{ verbs: ['fly'], apiGroups: ['*', 'a'], namespaces: ['A_'] }],
          },
        ],
      }).map((text) => text.replace('spec.rules[0].', '').replace(/a lowercase RFC.*/, '...')),
      [
        "subjects[0].user: Required value: user is required when subject kind is 'User'",
        "subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
        'subjects[1].serviceAccount.name: Required value',
        'subjects[1].serviceAccount.namespace: Required value: must specify namespace for service account',
        'subjects[2].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
        'resourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
        'resourceRules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other api groups',
        'resourceRules[0].resources: Required value: resource rules must supply at least one resource',
        'resourceRules[0].namespaces[0]: Invalid value: "A_": each member of this list must be \'*\' or a DNS-1123 label; ...',
        'nonResourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
        'nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash',
        'nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a*": wildcard can only do suffix matching',
        'nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a//b": must not contain double slash',
        'nonResourceRules[0].nonResourceURLs[4]: Invalid value: "": must not be empty',
      ],
    );
  });

  it('leaves the mandatory ones unchanged', () => {
    for (const [name, fixed] of MANDATORY_FLOW_SCHEMAS) {
      assert.deepEqual(problems(fixed, name), []);
      assert.match(
        problems({ ...fixed, rules: [] }, name)[0]!,
        new RegExp(`spec of '${name}' must equal the fixed value$`),
      );
    }
  });

  it('checks conditions on the status path, where metadata stays', () => {
    const object = stored(flowSchema, FLOWCONTROL_V1, { metadata, spec });
    const { texts } = update(
      flowSchema,
      FLOWCONTROL_V1,
      object,
      (f) => (f.status.conditions = [{ type: 'A' }, { type: 'A' }, {}]),
      { subresource: 'status' },
    );
    assert.deepEqual(texts, [
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[2].type: Required value: must not be empty',
    ]);
  });
});

describe('priority level', () => {
  const limited = { limitResponse: { type: 'Queue', queuing: {} } };
  const problems = (spec: object, name = 'p'): string[] =>
    create(priorityLevelConfiguration, FLOWCONTROL_V1, { metadata: { name }, spec }).texts;

  it('is filled in and printed', () => {
    for (const version of [FLOWCONTROL_V1, ...BETAS]) {
      const object = stored(priorityLevelConfiguration, version, { metadata, spec: { type: 'Limited', limited } });
      assert.deepEqual(cells(priorityLevelConfiguration, object), ['f', 'Limited', 30, 64, 8, 50, '0s']);
    }
  });

  it('keeps shares of zero through all versions', () => {
    const object = stored(priorityLevelConfiguration, FLOWCONTROL_V1, {
      metadata,
      spec: { type: 'Limited', limited: { ...limited, nominalConcurrencyShares: 0 } },
    });
    for (const version of BETAS) {
      const served = serve(priorityLevelConfiguration, version, object);
      assert.deepEqual(served.metadata.annotations, { [PRESERVE_ZERO_ANNOTATION]: '' });
      const back = decode(priorityLevelConfiguration, version, served);
      assert.deepEqual(back.spec, object.spec);
      assert.equal(back.metadata.annotations, undefined);
    }
    const beta = stored(priorityLevelConfiguration, BETAS[0]!, {
      metadata,
      spec: { type: 'Limited', limited: { ...limited, assuredConcurrencyShares: 7 } },
    });
    assert.equal(beta.spec.limited.nominalConcurrencyShares, 7);
    assert.equal(serve(priorityLevelConfiguration, BETAS[1]!, beta).spec.limited.assuredConcurrencyShares, 7);
  });

  it('refuses contradictions', () => {
    assert.deepEqual(problems({ type: 'Exempt' }), [
      "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
    ]);
    assert.deepEqual(problems({ type: 'Limited', exempt: {} }), [
      'spec.exempt: Forbidden: must be nil if the type is Limited',
      'spec.limited: Required value: must not be empty when type is Limited',
    ]);
    assert.deepEqual(
      problems({
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          limitResponse: { type: 'Queue', queuing: { queues: 1000, handSize: 100 } },
          lendablePercent: 101,
        },
      }),
      [
        'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 100: required entropy bits of deckSize 1000 and handSize 100 should not be greater than 60',
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    );
    assert.deepEqual(problems({ type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } }), [
      'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
    ]);
    assert.deepEqual(problems({ type: 'X' }), [
      'spec.type: Unsupported value: "X": supported values: "Exempt", "Limited"',
    ]);
  });

  it('leaves the mandatory ones unchanged', () => {
    for (const [name, fixed] of MANDATORY_PRIORITY_LEVELS) assert.deepEqual(problems(fixed, name), []);
    assert.deepEqual(problems({ type: 'Exempt', exempt: { lendablePercent: 5 } }, 'exempt'), []);
    assert.match(
      problems({ type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }, 'catch-all')[0]!,
      /must equal the fixed value$/,
    );
  });
});
