import assert from 'node:assert/strict';
import { cells, create, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { ADMISSION_V1, ADMISSION_V1BETA1 } from './admissionregistration-group.ts';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding/mutating-admission-policy-binding.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy/mutating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding/validating-admission-policy-binding.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy/validating-admission-policy.ts';

const metadata = { name: 'p' };
const matchConstraints = {
  resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE'] }],
};
const spec = { matchConstraints, validations: [{ expression: 'true' }] };

describe('validating admission policy', () => {
  it('is filled in and printed', () => {
    for (const version of [ADMISSION_V1, ADMISSION_V1BETA1]) {
      const object = stored(validatingAdmissionPolicy, version, {
        metadata,
        spec: { ...spec, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      });
      assert.equal(object.spec.failurePolicy, 'Fail');
      assert.equal(object.spec.matchConstraints.matchPolicy, 'Equivalent');
      assert.equal(object.spec.matchConstraints.resourceRules[0].scope, '*');
      assert.deepEqual(cells(validatingAdmissionPolicy, object), ['p', 1, 'v1/ConfigMap', '0s']);
    }
  });

  const problems = (change: object): string[] =>
    create(validatingAdmissionPolicy, ADMISSION_V1, { metadata, spec: { ...spec, ...change } }).texts;

  it('has to match something and do something', () => {
    assert.deepEqual(create(validatingAdmissionPolicy, ADMISSION_V1, { metadata }).texts, [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ]);
    assert.deepEqual(problems({ matchConstraints: {} }), ['spec.matchConstraints.resourceRules: Required value']);
  });

  it('refuses what is badly written', () => {
    assert.deepEqual(
      problems({ paramKind: { apiVersion: 'a/b/c', kind: 'X_Y' } }).map((text) => text.split(':')[0]),
      ['spec.paramKind.apiVersion', 'spec.paramKind.kind'],
    );
    assert.deepEqual(problems({ variables: [{ name: 'in', expression: '' }] }), [
      'spec.variables[0].name: Invalid value: "in": name is not a valid CEL identifier',
      'spec.variables[0].expression: Required value: expression is not specified',
    ]);
    assert.deepEqual(problems({ validations: [{ expression: ' ', message: 'a\nb', reason: 'Because' }] }), [
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ]);
    assert.deepEqual(
      problems({
        auditAnnotations: [
          { key: 'a', valueExpression: '' },
          { key: 'a', valueExpression: 'x' },
        ],
      }),
      [
        'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].key: Duplicate value: "a"',
      ],
    );
  });

  it('checks conditions of its status', () => {
    const object = stored(validatingAdmissionPolicy, ADMISSION_V1, { metadata, spec });
    const condition = { type: 'A', status: 'Maybe', reason: '1', message: '', lastTransitionTime: null };
    const { texts } = update(
      validatingAdmissionPolicy,
      ADMISSION_V1,
      object,
      (p) => (p.status.conditions = [condition]),
      { subresource: 'status' },
    );
    assert.deepEqual(
      texts.map((text) => text.split(':')[0]),
      ['status', 'lastTransitionTime', 'reason'].map((name) => `status.conditions[0].${name}`),
    );
  });
});

describe('bindings of policies', () => {
  it('name a policy, parameters and actions', () => {
    const body = {
      metadata,
      spec: {
        policyName: 'q',
        paramRef: { name: 'x', namespace: 'n', parameterNotFoundAction: 'Deny' },
        validationActions: ['Deny'],
      },
    };
    assert.deepEqual(
      cells(validatingAdmissionPolicyBinding, stored(validatingAdmissionPolicyBinding, ADMISSION_V1, body)),
      ['p', 'q', 'n/x', '0s'],
    );
    assert.deepEqual(
      create(validatingAdmissionPolicyBinding, ADMISSION_V1, {
        metadata,
        spec: { paramRef: { name: 'a', selector: {} }, validationActions: ['Deny', 'Warn', 'Warn'] },
      }).texts,
      [
        'spec.policyName: Required value',
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Required value',
        'spec.validationActions[2]: Duplicate value: "Warn"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Warn"]: must not contain both Deny and Warn ' +
          '(repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    );
    assert.deepEqual(
      create(validatingAdmissionPolicyBinding, ADMISSION_V1, { metadata, spec: { policyName: 'q' } }).texts,
      ['spec.validationActions: Required value: at least one validation action is required'],
    );
    assert.deepEqual(
      cells(
        mutatingAdmissionPolicyBinding,
        stored(mutatingAdmissionPolicyBinding, ADMISSION_V1, { metadata, spec: { policyName: 'q' } }),
      ),
      ['p', 'q', '<unset>', '0s'],
    );
  });
});

describe('mutating admission policy', () => {
  it('has patches that fit their type', () => {
    const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }];
    const object = stored(mutatingAdmissionPolicy, ADMISSION_V1BETA1, {
      metadata,
      spec: { matchConstraints, mutations, reinvocationPolicy: 'Never' },
    });
    assert.deepEqual(cells(mutatingAdmissionPolicy, object), ['p', 1, '<unset>', '0s']);
    assert.deepEqual(
      create(mutatingAdmissionPolicy, ADMISSION_V1, {
        metadata,
        spec: {
          matchConstraints,
          mutations: [{ patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } }, { patchType: 'X' }],
        },
      }).texts,
      [
        'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
        'spec.mutations[0].jsonPatch: Forbidden: must not be specified when patchType is not JSONPatch',
        'spec.mutations[1].patchType: Unsupported value: "X": supported values: "ApplyConfiguration", "JSONPatch"',
        'spec.reinvocationPolicy: Required value',
      ],
    );
  });
});
