import assert from 'node:assert/strict';
import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { missingRules, TooManyCombinationsError } from './covers.ts';
import { rule } from './policy-testing.ts';

describe('missingRules', () => {
  const many = (count: number, make: (i: number) => PolicyRule): PolicyRule[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const named = (start: string, count: number): PolicyRule[] =>
    many(count, (i) => rule('get', 'pods', '', `${start}${i}`));

  it('names the missing rights, one verb on one object at a time', () => {
    const held = [rule('get', 'pods'), rule('list', 'pods secrets', '', 'a')];
    assert.deepEqual(missingRules(held, [rule('get', 'pods', '', 'x'), rule('list', 'secrets', '', 'a')]), []);
    assert.deepEqual(missingRules(held, [rule('get list', 'pods', '', 'a b')]), [
      { apiGroups: [''], resources: ['pods'], verbs: ['list'], resourceNames: ['b'] },
    ]);
    assert.deepEqual(missingRules(held, [{ verbs: ['get'], nonResourceURLs: ['/x'] }]), [
      { verbs: ['get'], nonResourceURLs: ['/x'] },
    ]);
    assert.deepEqual(missingRules([{ verbs: null }], [{ verbs: null, apiGroups: [''], resources: ['pods'] }]), []);
  });

  it('compares the roles of a large cluster', () => {
    const own = many(600, (i) =>
      rule('get list watch create update patch delete', `kind${i} kind${i}/status`, `group${i}.example.com`),
    );
    assert.deepEqual(missingRules(own, own.toReversed()), []);
    assert.equal(missingRules(own, [...own, rule('get', 'nodes')]).length, 1);
  });

  it('gives up where there is too much to compare, in any dimension', () => {
    const refused = (held: PolicyRule[], wanted: PolicyRule[]): void =>
      assert.throws(() => missingRules(held, wanted), TooManyCombinationsError);
    const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `w${i}`);
    refused(named('x', 15_000), named('y', 5000));
    refused(
      many(15_000, () => rule('*', 'pods', '', 'x')),
      [{ verbs: words(5000), apiGroups: [''], resources: ['pods'] }],
    );
    refused(
      many(15_000, () => rule('get', 'pods', '*')),
      [{ verbs: ['get'], apiGroups: words(5000), resources: ['nodes'] }],
    );
    refused([{ verbs: words(300_000), apiGroups: [''], resources: ['pods'] }], [rule('get', 'nodes')]);
    refused(
      many(5000, (i) => ({ verbs: ['get'], nonResourceURLs: [`/${i}`, `/${i}/*`] })),
      [{ verbs: ['get'], nonResourceURLs: words(5000) }],
    );
    refused([], [{ verbs: words(300), apiGroups: words(300), resources: words(300) }]);
  });

  it('compares up to the limit of its caller', () => {
    assert.throws(() => missingRules(named('x', 10), named('y', 10), 100), TooManyCombinationsError);
    assert.equal(missingRules(named('x', 10), named('y', 10), Number.POSITIVE_INFINITY).length, 10);
  });
});
