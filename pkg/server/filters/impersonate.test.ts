import assert from 'node:assert/strict';
import type { UserInfo } from '../../api/resource-definition.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { AuthorizationAttributes, Authorizer } from '../../authorization/authorizer.ts';
import { UndecidedError } from '../../authorization/union/authorizer.ts';
import { requestOf, sent } from './filter-testing.ts';
import { impersonate } from './impersonate.ts';

describe('impersonate', () => {
  const admin: UserInfo = { name: 'admin', groups: ['system:masters'] };
  let asked: AuthorizationAttributes[];
  beforeEach(() => {
    asked = [];
  });

  function send(
    pairs: readonly (readonly [string, string])[],
    allows: (attributes: AuthorizationAttributes) => boolean = () => true,
  ) {
    const authorizer = {
      name: 'Test',
      authorize(attributes: AuthorizationAttributes) {
        asked.push(attributes);
        return { decision: allows(attributes) ? 'allow' : 'no-opinion', reason: '' } as const;
      },
    } as unknown as Authorizer;
    const { context, answer } = requestOf('GET', '/api/v1/namespaces/ns/pods', {}, admin);
    for (const [name, value] of pairs) {
      context.request.rawHeaders.push(name, value);
      context.headers[name.toLowerCase()] = value;
    }
    let reached = false;
    const done = impersonate(authorizer)(async () => void (reached = true))(context);
    return { context, answer, done, reached: () => reached };
  }

  const attributesOf = ({ apiGroup, resource, subresource, namespace, name }: AuthorizationAttributes) =>
    [apiGroup, resource, subresource, namespace, name].join('|');

  it('leaves requests without the headers unchanged', async () => {
    const { context, done, reached } = send([
      ['Impersonate-User', ''],
      ['Impersonate-Other', 'x'],
    ]);
    await done;
    assert.deepEqual([reached(), context.user, context.impersonator, asked], [true, admin, undefined, []]);
  });

  it('authorizes every part separately, and continues as the other user', async () => {
    const { context, done } = send([
      ['Impersonate-User', 'jane'],
      ['Impersonate-Group', 'a,b'],
      ['Impersonate-Group', 'c'],
      ['Impersonate-Uid', '42'],
      ['Impersonate-Extra-Example.com%2FScopes', 's1'],
      ['Impersonate-Extra-Example.com%2FScopes', 's2'],
    ]);
    await done;
    assert.deepEqual(context.user, {
      name: 'jane',
      uid: '42',
      groups: ['a,b', 'c', 'system:authenticated'],
      extra: { 'example.com/scopes': ['s1', 's2'] },
    });
    assert.equal(context.impersonator, admin);
    assert.deepEqual(asked.map(attributesOf), [
      '|users|||jane',
      '|groups|||a,b',
      '|groups|||c',
      'authentication.k8s.io|userextras|example.com/scopes||s1',
      'authentication.k8s.io|userextras|example.com/scopes||s2',
      'authentication.k8s.io|uids|||42',
    ]);
    assert.ok(asked.every(({ user, verb, isResource }) => user === admin && verb === 'impersonate' && isResource));
  });

  it('removes the headers from the request', async () => {
    const { context, done } = send([
      ['Impersonate-User', 'jane'],
      ['Impersonate-Group', 'a'],
      ['Impersonate-Uid', '1'],
      ['Impersonate-Extra-x', 'y'],
      ['Accept', '*/*'],
    ]);
    await done;
    assert.deepEqual(context.headers, { accept: '*/*' });
    assert.deepEqual(context.request.rawHeaders, ['Accept', '*/*']);
  });

  it('adds the groups of service accounts, and that of authenticated or unauthenticated users', async () => {
    const groupsOf = async (...pairs: [string, string][]) => {
      const { context, done } = send(pairs);
      await done;
      return context.user.groups;
    };
    assert.deepEqual(await groupsOf(['Impersonate-User', 'system:serviceaccount:ns:robot']), [
      'system:serviceaccounts',
      'system:serviceaccounts:ns',
      'system:authenticated',
    ]);
    assert.equal(attributesOf(asked[0]!), '|serviceaccounts||ns|robot');
    assert.deepEqual(
      await groupsOf(['Impersonate-User', 'system:serviceaccount:ns:robot'], ['Impersonate-Group', 'g']),
      ['g', 'system:authenticated'],
    );
    assert.deepEqual(await groupsOf(['Impersonate-User', 'system:anonymous']), ['system:unauthenticated']);
    assert.deepEqual(
      await groupsOf(['Impersonate-User', 'system:anonymous'], ['Impersonate-Group', 'system:authenticated']),
      ['system:authenticated', 'system:unauthenticated'],
    );
    assert.deepEqual(await groupsOf(['Impersonate-User', 'jane'], ['Impersonate-Group', 'system:unauthenticated']), [
      'system:unauthenticated',
    ]);
    assert.deepEqual(await groupsOf(['Impersonate-User', 'jane'], ['Impersonate-Group', 'system:authenticated']), [
      'system:authenticated',
    ]);
  });

  it('refuses when any part is not allowed', async () => {
    const pairs = [
      ['Impersonate-User', 'jane'],
      ['Impersonate-Group', 'g'],
      ['Impersonate-Uid', '1'],
      ['Impersonate-Extra-k', 'v'],
    ] as const;
    for (const resource of ['users', 'groups', 'uids', 'userextras']) {
      const { context, done, reached } = send(pairs, (attributes) => attributes.resource !== resource);
      await assert.rejects(
        done,
        (error) =>
          error instanceof StatusError &&
          error.code === 403 &&
          error.message.includes(`User "admin" cannot impersonate resource "${resource}`),
      );
      assert.deepEqual([reached(), context.user], [false, admin]);
    }
    const { done } = send([['Impersonate-User', 'jane']], () => false);
    await assert.rejects(
      done,
      (error: StatusError) =>
        error.message ===
        'users "jane" is forbidden: User "admin" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it('refuses when no authorizer can decide', async () => {
    const { done, reached } = send([['Impersonate-User', 'jane']], () => {
      throw new UndecidedError(['out of reach'], 'never');
    });
    await assert.rejects(
      done,
      (error: StatusError) => error.code === 403 && error.message.endsWith('at the cluster scope: never'),
    );
    assert.equal(reached(), false);
  });

  it('answers 500 in plain text when no user is named', async () => {
    const cases = [
      [['Impersonate-Group', 'g'], '{Group  g    }'],
      [['Impersonate-Uid', '<1>'], '{UID  &lt;1&gt;  authentication.k8s.io/v1  }'],
      [['Impersonate-Extra-K', 'v'], '{UserExtra  v  authentication.k8s.io/v1  k}'],
    ] as const;
    for (const [pair, text] of cases) {
      const { answer, done, reached } = send([pair]);
      await done;
      await sent();
      assert.deepEqual(
        [reached(), answer.status, answer.body],
        [
          false,
          500,
          `Internal Server Error: "/api/v1/namespaces/ns/pods": requested [${text}] without impersonating a user\n`,
        ],
      );
    }
    assert.deepEqual(asked, []);
  });

  it('keeps keys such as __proto__ as keys', async () => {
    const { context, done } = send([
      ['Impersonate-User', 'jane'],
      ['Impersonate-Extra-__proto__', 'x'],
    ]);
    await done;
    assert.deepEqual(Object.entries(context.user.extra ?? {}), [['__proto__', ['x']]]);
  });
});
