import assert from 'node:assert/strict';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { Client } from '../../client/rest/client.ts';
import { delegatedAuthorizer } from './delegated-authorizer.ts';

const asked = (path: string, groups: readonly string[] = []): AuthorizationAttributes => ({
  user: { name: 'jane', groups },
  verb: 'get',
  isResource: false,
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  path,
});

describe('delegatedAuthorizer', () => {
  let reviews: string[];
  let answer: () => object;
  beforeEach(() => {
    reviews = [];
    answer = () => ({ allowed: true });
  });
  const open = () =>
    delegatedAuthorizer({
      config: { alwaysAllowedPaths: ['/healthz', '/open/*'], allowedTtlMs: 60_000, deniedTtlMs: 0 },
      client: {
        create: (_resource: unknown, review: { spec: { nonResourceAttributes: { path: string } } }) => {
          reviews.push(review.spec.nonResourceAttributes.path);
          return Promise.resolve({ ...review, status: answer() });
        },
      } as unknown as Client,
      onError: () => undefined,
    });
  const decide = async (authorizer: ReturnType<typeof open>, path: string, groups?: readonly string[]) =>
    (await authorizer.authorize(asked(path, groups))).decision;

  it('sends no review for open paths and administrators', async () => {
    const authorizer = open();
    for (const path of ['/healthz', '/open/', '/open/a/b']) assert.equal(await decide(authorizer, path), 'allow');
    assert.equal(await decide(authorizer, '/metrics', ['system:masters']), 'allow');
    assert.deepEqual(reviews, []);
  });

  it('asks the server about the rest, and keeps what it allows', async () => {
    const authorizer = open();
    assert.equal(await decide(authorizer, '/healthz/etcd'), 'allow');
    assert.equal(await decide(authorizer, '/healthz/etcd'), 'allow');
    answer = () => ({ allowed: false });
    assert.equal(await decide(authorizer, '/metrics'), 'no-opinion');
    assert.equal(await decide(authorizer, '/metrics'), 'no-opinion');
    assert.deepEqual(reviews, ['/healthz/etcd', '/metrics', '/metrics']);
  });

  it('refuses what it cannot ask about', async () => {
    answer = () => {
      throw new Error('away');
    };
    await assert.rejects(async () => decide(open(), '/metrics'));
  });
});
