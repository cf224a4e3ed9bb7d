import assert from 'node:assert/strict';
import { decode } from '../kind-testing.ts';
import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import type { AnyResource } from '../resource-definition.ts';
import {
  authorizationGroup,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from './resources.ts';
import { reviewFromV1 } from './conversion.ts';

const v1 = 'authorization.k8s.io/v1';
const context = {
  now: '2026-01-02T03:04:05Z',
  user: { name: 'tester', groups: [] },
  requestVersion: v1,
  dryRun: false,
  policy: { allowPrivileged: false },
};

function problems(definition: AnyResource, body: object): string[] {
  const errors = new FieldErrors();
  definition.validate?.(decode(definition, v1, body), errors, context);
  return errors.items.map(fieldErrorText);
}

describe('authorization reviews', () => {
  const pods = { verb: 'get', resource: 'pods', namespace: 'default' };

  it('accept a review of a resource', () => {
    assert.deepEqual(problems(subjectAccessReview, { spec: { user: 'jane', resourceAttributes: pods } }), []);
    assert.deepEqual(
      problems(selfSubjectAccessReview, { spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } } }),
      [],
    );
    assert.deepEqual(
      problems(localSubjectAccessReview, {
        metadata: { namespace: 'default' },
        spec: { groups: ['devs'], resourceAttributes: pods },
      }),
      [],
    );
  });

  it('require exactly one kind of attributes, and a subject', () => {
    const [first, second, ...rest] = problems(subjectAccessReview, { spec: {} });
    assert.match(
      first!,
      /^spec\.resourceAttributes: Invalid value: .*: exactly one of nonResourceAttributes or resourceAttributes must be specified$/,
    );
    assert.equal(second, 'spec.user: Invalid value: "": at least one of user or group must be specified');
    assert.deepEqual(rest, []);
    const both = problems(selfSubjectAccessReview, {
      spec: { resourceAttributes: pods, nonResourceAttributes: { path: '/', verb: 'get' } },
    });
    assert.equal(both.length, 1);
    assert.match(
      both[0]!,
      /^spec\.nonResourceAttributes: .*cannot be specified in combination with resourceAttributes$/,
    );
  });

  it('stay in their namespace when local', () => {
    assert.deepEqual(
      problems(localSubjectAccessReview, {
        metadata: { namespace: 'default' },
        spec: { user: 'u', resourceAttributes: { ...pods, namespace: 'other' } },
      }),
      ['spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace'],
    );
  });

  it('have no metadata', () => {
    const found = problems(subjectAccessReview, {
      metadata: { name: 'x' },
      spec: { user: 'u', resourceAttributes: pods },
    });
    assert.equal(found.length, 1);
    assert.match(found[0]!, /^metadata: Invalid value: .*: must be empty$/);
  });

  it('carry the groups through both versions', () => {
    const hub = decode(subjectAccessReview, 'authorization.k8s.io/v1beta1', {
      spec: { user: 'u', group: ['a', 'b'], resourceAttributes: pods },
    });
    assert.deepEqual(hub.spec.groups, ['a', 'b']);
    assert.equal('group' in hub.spec, false);
    const back = reviewFromV1(hub);
    assert.deepEqual(back.spec.group, ['a', 'b']);
    assert.equal('groups' in back.spec, false);
  });

  it('are never stored', () => {
    for (const definition of authorizationGroup.resources) {
      assert.equal(definition.virtual, true);
      assert.equal(definition.storagePath, '');
      assert.deepEqual(definition.verbs, ['create']);
    }
  });
});
