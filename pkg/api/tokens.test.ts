import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { servedResources } from '../server/documents/served-resources.ts';
import { withEnabledVersions } from '../server/documents/enabled-resources.ts';
import { allResources } from './all-resources.ts';
import { groupVersionOf, type Resource } from './resource.ts';
import { Scheme } from './scheme.ts';

describe('tokens of built-in resources', () => {
  const served = servedResources(new Scheme(withEnabledVersions(allResources, () => true)));
  const tokens = new Map<string, Resource>();

  before(async () => {
    for (const group of readdirSync(import.meta.dirname)) {
      const file = path.join(import.meta.dirname, group, 'tokens.ts');
      if (!existsSync(file)) continue;
      for (const token of Object.values((await import(file)) as Record<string, Resource>)) {
        const key = `${groupVersionOf(token)}/${token.resource}`;
        assert(!tokens.has(key), `${key} has two tokens`);
        tokens.set(key, token);
      }
    }
  });

  for (const { hub, resource, virtual } of allResources) {
    if (virtual !== true) it(`has one for ${resource} of ${hub}`, () => assert(tokens.has(`${hub}/${resource}`)));
  }

  it('match discovery in every field', () => {
    for (const [key, { group, version, kind, namespaced }] of tokens) {
      const found = served.find(({ groupVersion, resource }) => `${groupVersion}/${resource}` === key);
      assert(found !== undefined, `${key} is not served`);
      assert.deepEqual(
        { group, version, kind, namespaced },
        { group: found.group, version: found.version, kind: found.kind, namespaced: found.namespaced },
        key,
      );
    }
  });
});
