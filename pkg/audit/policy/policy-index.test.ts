import assert from 'node:assert/strict';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import { testAttributes } from '../audit-testing.ts';
import { PolicyIndex } from './policy-index.ts';
import type { PolicyRule } from './policy.ts';

const rule = (fields: Partial<PolicyRule>): PolicyRule => ({
  level: 'Metadata',
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceUrls: [],
  omitStages: [],
  omitManagedFields: undefined,
  ...fields,
});
const path = (url: string): AuthorizationAttributes =>
  testAttributes({ isResource: false, apiGroup: '', apiVersion: '', resource: '', namespace: '', name: '', path: url });
const inCore = (...resources: string[]): Partial<PolicyRule> => ({
  resources: [{ group: '', resources, resourceNames: [] }],
});

/** Whether a policy of this one rule audits the request. */
function fits(fields: Partial<PolicyRule>, attributes: AuthorizationAttributes, known = true): boolean {
  return (
    new PolicyIndex({ rules: [rule(fields)], omitStages: [], omitManagedFields: false }).configFor(attributes, known)
      .level === 'Metadata'
  );
}

describe('PolicyIndex', () => {
  const pod = testAttributes();
  const log = testAttributes({ subresource: 'log' });

  it('matches everything without conditions', () => {
    assert.ok(fits({}, pod) && fits({}, path('/x')));
  });

  it('matches users and groups; unauthenticated requests match neither', () => {
    assert.ok(fits({ users: ['jo'] }, pod) && fits({ userGroups: ['x', 'g'] }, pod));
    assert.ok(!fits({ users: ['al'] }, pod) && !fits({ userGroups: ['x'] }, pod));
    assert.ok(!fits({ users: ['jo'] }, pod, false) && !fits({ userGroups: ['g'] }, pod, false) && fits({}, pod, false));
  });

  it('matches verbs and namespaces', () => {
    assert.ok(fits({ verbs: ['get'] }, pod) && !fits({ verbs: ['list'] }, pod));
    assert.ok(
      fits({ namespaces: ['a'] }, pod) && !fits({ namespaces: ['b'] }, pod) && !fits({ namespaces: ['a'] }, path('/x')),
    );
    assert.ok(
      fits({ namespaces: [''] }, testAttributes({ resource: 'nodes', namespace: '' })) &&
        !fits({ namespaces: [''] }, pod),
    );
  });

  it('matches resources, subresources and names', () => {
    assert.ok(
      fits(inCore(), pod) &&
        fits(inCore('pods'), pod) &&
        fits(inCore('*'), log) &&
        fits(inCore('pods/*'), log) &&
        fits(inCore('pods/*'), pod),
    );
    assert.ok(fits(inCore('pods/log'), log) && fits(inCore('*/log'), log));
    assert.ok(
      !fits(inCore('pods'), log) &&
        !fits(inCore('pods/log'), pod) &&
        !fits(inCore('*/status'), log) &&
        !fits(inCore('secrets'), pod),
    );
    assert.ok(
      !fits({ resources: [{ group: 'apps', resources: [], resourceNames: [] }] }, pod) &&
        !fits(inCore('pods'), path('/api/v1/pods')),
    );
    assert.ok(
      fits({ resources: [{ group: '', resources: ['pods'], resourceNames: ['p'] }] }, pod) &&
        !fits({ resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }, pod),
    );
  });

  it('matches other paths', () => {
    assert.ok(
      fits({ nonResourceUrls: ['/healthz*'] }, path('/healthz/etcd')) &&
        fits({ nonResourceUrls: ['/metrics'] }, path('/metrics')) &&
        fits({ nonResourceUrls: ['*'] }, path('/x')),
    );
    assert.ok(!fits({ nonResourceUrls: ['/metrics'] }, path('/metrics/x')) && !fits({ nonResourceUrls: ['*'] }, pod));
  });

  it('lets the first rule decide, with its stages and those of the policy', () => {
    const index = new PolicyIndex({
      rules: [
        rule({ level: 'None', namespaces: ['b'] }),
        rule({ level: 'Request', omitStages: ['Panic'], omitManagedFields: true }),
        rule({ level: 'RequestResponse' }),
      ],
      omitStages: ['RequestReceived'],
      omitManagedFields: false,
    });
    const { level, omitStages, omitManagedFields } = index.configFor(pod, true);
    assert.deepEqual([level, [...omitStages], omitManagedFields], ['Request', ['RequestReceived', 'Panic'], true]);
    assert.equal(index.configFor(testAttributes({ namespace: 'b' }), true).level, 'None');
  });

  it('decides the same for any number of kinds of requests', () => {
    const index = new PolicyIndex({
      rules: [rule({ level: 'Request', ...inCore('pods') })],
      omitStages: [],
      omitManagedFields: false,
    });
    for (let i = 0; i < 2500; i++)
      assert.equal(index.configFor(testAttributes({ resource: `r${i}` }), true).level, 'None');
    assert.equal(index.configFor(pod, true).level, 'Request');
    for (let i = 0; i < 2; i++)
      assert.equal(index.configFor(testAttributes({ resource: 'r'.repeat(1000) }), true).level, 'None');
  });
});
