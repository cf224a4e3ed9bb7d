import assert from 'node:assert/strict';
import { allResources } from '../../api/all-resources.ts';
import { Scheme } from '../../api/scheme.ts';
import { withEnabledVersions } from './enabled-resources.ts';
import { servedGroupVersions, servedResources } from './served-resources.ts';
import { KNOWN_STORAGE_HASHES } from './storage-versions-for-test.ts';

describe('served resources', () => {
  const scheme = new Scheme(allResources);

  it('are stored in the versions of a stock server, as the hashes tell clients', () => {
    const served = new Map(
      servedResources(scheme).map((r) => [`${r.groupVersion} ${r.resource}`, r.storageVersionHash]),
    );
    const expected = KNOWN_STORAGE_HASHES.trim().split('\n');
    assert.ok(expected.length > 50);
    assert.deepEqual(
      expected
        .map((line) => line.split(' '))
        .map(([version, resource]) => `${version} ${resource} ${served.get(`${version} ${resource}`)}`),
      expected,
    );
  });

  it('have group versions, each named once', () => {
    const versions = servedGroupVersions(
      new Scheme(withEnabledVersions(allResources, (groupVersion) => groupVersion !== 'apps/v1')),
    );
    assert.equal(new Set(versions).size, versions.length);
    assert.ok(versions.includes('v1') && versions.includes('apps/v1beta1') && !versions.includes('apps/v1'));
  });
});
