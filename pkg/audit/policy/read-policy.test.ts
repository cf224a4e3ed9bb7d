import assert from 'node:assert/strict';
import { AuditPolicyError, readPolicy } from './read-policy.ts';

function problems(text: string): readonly string[] {
  try {
    readPolicy(text);
  } catch (error) {
    assert.ok(error instanceof AuditPolicyError);
    return error.problems;
  }
  return [];
}

describe('readPolicy', () => {
  it('reads every field, in each version', () => {
    for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
      const policy = readPolicy(`
apiVersion: audit.k8s.io/${version}
kind: Policy
metadata: {creationTimestamp: null}
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Request
  users: [jo]
  userGroups: [g]
  verbs: [get]
  resources: [{group: apps, resources: [deployments, "*/status"], resourceNames: [d]}]
  namespaces: [a, ""]
  omitStages: [Panic]
  omitManagedFields: false
- level: None
  nonResourceURLs: ["/healthz*", "*"]
`);
      assert.deepEqual(policy, {
        omitStages: ['RequestReceived'],
        omitManagedFields: true,
        rules: [
          {
            level: 'Request',
            users: ['jo'],
            userGroups: ['g'],
            verbs: ['get'],
            resources: [{ group: 'apps', resources: ['deployments', '*/status'], resourceNames: ['d'] }],
            namespaces: ['a', ''],
            nonResourceUrls: [],
            omitStages: ['Panic'],
            omitManagedFields: false,
          },
          {
            level: 'None',
            users: [],
            userGroups: [],
            verbs: [],
            resources: [],
            namespaces: [],
            nonResourceUrls: ['/healthz*', '*'],
            omitStages: [],
            omitManagedFields: undefined,
          },
        ],
      });
    }
  });

  it('reports everything that is wrong, by field', () => {
    assert.deepEqual(
      problems(`
apiVersion: audit.k8s.io/v2
kind: Police
omitStages: [Later]
rules:
- verb: [get]
- level: All
  resources: [{group: Apps, resourceNames: [x]}, 7]
- level: None
  nonResourceURLs: [healthz, "/a*b"]
  namespaces: [a]
  users: jo
`),
      [
        'apiVersion: Unsupported value: "audit.k8s.io/v2": supported values: "audit.k8s.io/v1", "audit.k8s.io/v1beta1", "audit.k8s.io/v1alpha1"',
        'kind: Unsupported value: "Police": supported values: "Policy"',
        'rules[0].verb: Forbidden: unknown field',
        'rules[0].level: Required value',
        "rules[1].resources[0].group: Invalid value: \"Apps\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
          "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        'rules[1].resources[0].resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
        'rules[1].resources[1]: Invalid value: 7: must be a mapping',
        'rules[1].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
        'rules[2].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a \'/\' character',
        'rules[2].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards \'*\' must be the final character of the rule',
        'rules[2].nonResourceURLs: Invalid value: ["healthz","/a*b"]: rules cannot apply to both regular resources and non-resource URLs',
        'rules[2].users: Invalid value: "jo": must be a list',
        'omitStages[0]: Invalid value: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
      ],
    );
  });

  it('requires rules, and text that can be parsed', () => {
    assert.deepEqual(problems('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n'), [
      'rules: Required value: a policy without rules writes nothing down',
    ]);
    assert.equal(problems('a: [').length, 1);
    assert.match(problems('[]').join(), /must be a mapping/);
  });
});
