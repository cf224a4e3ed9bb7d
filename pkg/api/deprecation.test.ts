import assert from 'node:assert/strict';
import { allResources } from './all-resources.ts';
import { deprecationWarning, isDeprecatedIn } from './deprecation.ts';

describe('deprecations', () => {
  const beta = { groupVersion: 'extensions/v1beta1', kind: 'Deployment' };

  it('are worded as clients know them', () => {
    assert.equal(
      deprecationWarning(beta, { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' }),
      'extensions/v1beta1 Deployment is deprecated in v1.8+, unavailable in v1.16+; use apps/v1 Deployment',
    );
    assert.equal(
      deprecationWarning(beta, { deprecatedIn: '1.8', replacement: 'apps/v1', replacementKind: 'Other' }),
      'extensions/v1beta1 Deployment is deprecated in v1.8+; use apps/v1 Other',
    );
    assert.equal(
      deprecationWarning(beta, { deprecatedIn: '1.8' }),
      'extensions/v1beta1 Deployment is deprecated in v1.8+',
    );
  });

  it('hold from their release on', () => {
    assert.equal(isDeprecatedIn({ deprecatedIn: '1.19' }, 18), false);
    for (const minor of [19, 20, 36]) assert.ok(isDeprecatedIn({ deprecatedIn: '1.19' }, minor));
  });

  it('of every kind are data: releases, and a version that is served', () => {
    let count = 0;
    for (const { versions } of allResources) {
      for (const { deprecation } of versions) {
        if (deprecation === undefined) continue;
        count++;
        const { deprecatedIn, removedIn = '1.99', replacement } = deprecation;
        for (const release of [deprecatedIn, removedIn]) assert.match(release, /^1\.\d+$/);
        assert.ok(Number(deprecatedIn.slice(2)) < Number(removedIn.slice(2)));
        if (replacement === undefined) continue;
        const isKnown = allResources.some((r) => r.versions.some((v) => v.groupVersion === replacement));
        assert.ok(isKnown, replacement);
      }
    }
    assert.ok(count > 40);
  });
});
