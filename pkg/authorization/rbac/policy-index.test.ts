import assert from 'node:assert/strict';
import type { PolicyRule, Subject } from '../../generated/types/rbac-v1.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { storeAccess } from '../../registry/store-access.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { asks, asksPath, person } from '../authorization-testing.ts';
import { rbacAuthorizer } from './authorizer.ts';
import { PolicyIndex, policyIsFresh } from './policy-index.ts';
import { ALL, resourcePath, urlMatches } from './policy-rules.ts';
import { addBinding, addRole, group, serviceAccount, user } from './policy-testing.ts';

/**
 * Random policies: the decisions of the index must equal those of a walk over all bindings and rules. A failure names
 * its seed.
 */

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const ROUNDS = 30;
const STEPS = 120;
const QUESTIONS = 60;

function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface KnownBinding {
  readonly role: string;
  readonly subjects: readonly Subject[];
  readonly namespace: string;
}

class NaivePolicy {
  readonly roles = new Map<string, readonly PolicyRule[]>();
  readonly bindings = new Map<string, KnownBinding>();

  allows(asked: AuthorizationAttributes): boolean {
    return [...this.bindings.values()].some(({ role, subjects, namespace }) => {
      if (namespace !== '' && namespace !== asked.namespace) return false;
      const rules = this.roles.get(role.startsWith('Role/') ? `${namespace}:${role}` : `:${role}`) ?? [];
      return (
        subjects.some((subject) => isSubject(subject, asked, namespace)) &&
        rules.some((rule) => ruleAllows(rule, asked))
      );
    });
  }
}

function isSubject(subject: Subject, { user: { name, groups } }: AuthorizationAttributes, namespace: string): boolean {
  if (subject.kind === 'User') return subject.name === name;
  if (subject.kind === 'Group') return groups.includes(subject.name);
  return name === `system:serviceaccount:${subject.namespace ?? namespace}:${subject.name}`;
}

/** Whether a rule allows the request. */
function ruleAllows(rule: PolicyRule, asked: AuthorizationAttributes): boolean {
  if (!matchesAny(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return rule.nonResourceURLs?.some((url) => urlMatches(url, asked.path)) === true;
  return matchesAny(rule.apiGroups, asked.apiGroup) && resourceMatches(rule, asked) && nameMatches(rule, asked.name);
}

function matchesAny(values: readonly string[] | null | undefined, wanted: string): boolean {
  return values?.some((value) => value === ALL || value === wanted) === true;
}

function resourceMatches({ resources = [] }: PolicyRule, { resource, subresource }: AuthorizationAttributes): boolean {
  const combined = resourcePath(resource, subresource);
  return resources.some(
    (value) => value === ALL || value === combined || (subresource !== '' && value === `*/${subresource}`),
  );
}

function nameMatches({ resourceNames = [] }: PolicyRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

class Policies {
  readonly index = new PolicyIndex();
  readonly naive = new NaivePolicy();
  /** The same object for the same user, as authenticators return it. */
  private readonly people = new Map<string, UserInfo>();
  private readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.random() < 0.3);
  }

  step(): void {
    const namespace = this.pick(['', '', 'a', 'b']);
    const name = this.pick(['r', 's', 't']);
    const known = this.pick(['x', 'y', 'z', 'v', 'w']);
    switch (this.pick(['role', 'binding', 'binding', 'remove role', 'remove binding'])) {
      case 'role': {
        const rules = Array.from({ length: 3 }, () => this.rule(namespace === ''));
        addRole(this.index, name, rules, namespace);
        this.naive.roles.set(namespace === '' ? `:ClusterRole/${name}` : `${namespace}:Role/${name}`, rules);
        break;
      }
      case 'binding': {
        const role = namespace === '' || this.random() < 0.5 ? `ClusterRole/${name}` : `Role/${name}`;
        const subjects = this.some([
          user('u1'),
          user('u2'),
          group('g1'),
          group('g2'),
          serviceAccount('robot', namespace === '' ? 'a' : this.pick(['a', 'b'])),
        ]);
        addBinding(this.index, known, role, subjects, namespace);
        this.naive.bindings.set(`${namespace}/${known}`, { role, subjects, namespace });
        break;
      }
      case 'remove role':
        this.naive.roles.delete(namespace === '' ? `:ClusterRole/${name}` : `${namespace}:Role/${name}`);
        if (namespace === '') this.index.clusterRoles.remove(`roles/${name}`);
        else this.index.namespaceRoles.remove(`roles/${namespace}/${name}`);
        break;
      default:
        this.naive.bindings.delete(`${namespace}/${known}`);
        if (namespace === '') this.index.clusterRoleBindings.remove(`bindings/${known}`);
        else this.index.roleBindings.remove(`bindings/${namespace}/${known}`);
    }
  }

  private rule(withUrls: boolean): PolicyRule {
    const verbs = this.some(['get', 'list', 'update', '*']);
    if (withUrls && this.random() < 0.2) return { verbs, nonResourceURLs: this.some(['/x', '/x/*', '/y*', '*']) };
    const names = this.random() < 0.3 ? { resourceNames: this.some(['n', 'm']) } : {};
    return {
      verbs,
      apiGroups: this.some(['', 'apps', '*']),
      resources: this.some(['pods', 'pods/log', '*/log', 'secrets', '*']),
      ...names,
    };
  }

  private person(name: string, groups: readonly string[]): UserInfo {
    const key = [name, ...groups].join(' ');
    const known = this.people.get(key) ?? person(name, ...groups);
    this.people.set(key, known);
    return known;
  }

  question(): AuthorizationAttributes {
    const who = this.person(
      this.pick(['u1', 'u2', 'u3', 'system:serviceaccount:a:robot', 'system:serviceaccount:b:robot']),
      this.some(['g1', 'g2', 'g3']),
    );
    const verb = this.pick(['get', 'list', 'update', 'delete']);
    if (this.random() < 0.15) return asksPath(who, verb, this.pick(['/x', '/x/', '/x/z', '/y', '/yy', '/z']));
    const where = {
      apiGroup: this.pick(['', 'apps', 'batch']),
      namespace: this.pick(['', 'a', 'b', 'c']),
      name: this.pick(['', 'n', 'm', 'o']),
    };
    return asks(who, verb, this.pick(['pods', 'pods/log', 'secrets', 'jobs/log', 'jobs']), where);
  }
}

describe('the index of roles and bindings', () => {
  it(`decides as a walk over all of them does (SEED=${seed})`, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const policies = new Policies(randomFrom(seed + round));
      const authorizer = rbacAuthorizer(policies.index);
      for (let step = 0; step < STEPS; step++) {
        policies.step();
        for (let i = 0; i < QUESTIONS / 10; i++) {
          const asked = policies.question();
          const { decision } = authorizer.authorize(asked) as { decision: string };
          assert.equal(
            decision === 'allow',
            policies.naive.allows(asked),
            `SEED=${seed}, round ${round}, step ${step}: ${JSON.stringify(asked)}`,
          );
        }
      }
    }
  });

  it('lists exactly the rules by which it decides', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const policies = new Policies(randomFrom(seed + 7919 * (round + 1)));
      for (let step = 0; step < STEPS; step++) policies.step();
      for (let i = 0; i < QUESTIONS; i++) {
        const asked = policies.question();
        const { rules } = policies.index.rulesFor(asked.user, asked.namespace);
        assert.equal(
          rules.some((rule) => ruleAllows(rule, asked)),
          policies.naive.allows(asked),
          `SEED=${seed}, round ${round}: ${JSON.stringify(asked)}`,
        );
      }
    }
  });
});

describe('policyIsFresh', () => {
  it('asks each store that holds a part of the policy, once', async () => {
    for (const [rolesAreFresh, expected] of [
      [true, true],
      [false, false],
    ] as const) {
      let asked = 0;
      const cacher = (isFresh: boolean) => ({
        fresh: async () => {
          asked++;
          return isFresh;
        },
      });
      const [main, other] = [cacher(true), cacher(rolesAreFresh)];
      const storeOf = (name: string) => ({ cacher: name.startsWith('roles.') ? other : main });
      const stores = storeAccess((name) => storeOf(name) as unknown as ResourceStore);
      assert.deepEqual([await policyIsFresh(stores), asked], [expected, 2]);
    }
  });
});
