/**
 * The cost of one RBAC decision, by the number of bindings: for a user with one binding, for one whose group is bound
 * in each of them, for one without any permission, and for one with a cached decision. Medians of rounds, microseconds
 * of CPU. Run: node --import tsx test/bench/authorization.ts [BINDINGS ...]
 */
import { RBAC_GROUP } from '../../pkg/api/rbac/rbac-group.ts';
import type { UserInfo } from '../../pkg/api/resource-definition.ts';
import type { AuthorizationAttributes } from '../../pkg/authorization/authorizer.ts';
import { rbacAuthorizer } from '../../pkg/authorization/rbac/authorizer.ts';
import { defaultPolicy } from '../../pkg/authorization/rbac/default-policy/default-policy.ts';
import { PolicyIndex } from '../../pkg/authorization/rbac/policy-index.ts';
import { systemMasters } from '../../pkg/authorization/system-masters.ts';
import { unionAuthorizer } from '../../pkg/authorization/union/authorizer.ts';

const sizes = process.argv.slice(2).map(Number);
const BINDINGS = sizes.length > 0 ? sizes : [100, 1000, 10_000];
const ROUNDS = 9;
const DECISIONS = 5000;
const NAMESPACES = 100;

function indexOf(bindings: number): PolicyIndex {
  const index = new PolicyIndex();
  const policy = defaultPolicy();
  for (const role of policy.clusterRoles) index.clusterRoles.put(role.metadata.name!, role);
  for (const binding of policy.clusterRoleBindings) index.clusterRoleBindings.put(binding.metadata.name!, binding);
  for (let i = 0; i < bindings; i++) {
    const metadata = { name: `b${i}`, namespace: `n${i % NAMESPACES}` };
    const subjects = [
      { kind: 'User', name: `user${i}`, apiGroup: RBAC_GROUP },
      { kind: 'Group', name: 'everywhere', apiGroup: RBAC_GROUP },
    ];
    const roleRef = {
      apiGroup: RBAC_GROUP,
      kind: 'ClusterRole',
      name: i % 2 === 0 ? 'system:aggregate-to-edit' : 'system:aggregate-to-view',
    };
    // Half of them count in one namespace alone.
    if (i % 2 === 0) index.roleBindings.put(`${i}`, { metadata, subjects, roleRef });
    else index.clusterRoleBindings.put(`c${i}`, { metadata: { name: `b${i}` }, subjects, roleRef });
  }
  return index;
}

const known = { name: 'known', groups: ['everywhere', 'system:authenticated'] };
const person = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] });

/** `who` is asked again for each round. */
async function microsPerDecision(index: PolicyIndex, bindings: number, who: (i: number) => UserInfo): Promise<number> {
  const authorizer = unionAuthorizer([systemMasters, rbacAuthorizer(index)]);
  const questions = (): AuthorizationAttributes[] =>
    Array.from({ length: DECISIONS }, (_, i) => ({
      user: who(i),
      verb: i % 3 === 0 ? 'create' : 'get',
      isResource: true,
      apiGroup: 'apps',
      apiVersion: 'v1',
      resource: 'deployments',
      subresource: i % 5 === 0 ? 'scale' : '',
      namespace: `n${(i % bindings) % NAMESPACES}`,
      name: 'd',
      path: '',
    }));
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const asked = questions();
    const before = process.cpuUsage();
    for (const attributes of asked) await authorizer.authorize(attributes);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / DECISIONS);
  }
  return rounds.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
}

console.log('bindings         by user     by group       nobody        again');
for (const bindings of BINDINGS) {
  const index = indexOf(bindings);
  const figures = [
    await microsPerDecision(index, bindings, (i) => person(`user${i % bindings}`)),
    await microsPerDecision(index, bindings, () => person('member', 'everywhere')),
    await microsPerDecision(index, bindings, () => person('stranger')),
    await microsPerDecision(index, bindings, () => known),
  ];
  console.log([String(bindings).padStart(8), ...figures.map((micros) => micros.toFixed(2).padStart(12))].join(' '));
}
