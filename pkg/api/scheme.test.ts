import assert from 'node:assert/strict';
import { allResources } from './all-resources.ts';
import { KNOWN_RESOURCES, KNOWN_STORAGE_PATHS } from './known-resources-for-test.ts';
import type { SubresourceDefinition, Verb } from './resource-definition.ts';
import { groupOf, Scheme, versionOf } from './scheme.ts';

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Lines of a table as lists of words; `-` stands for nothing. */
function lines(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map((word) => (word === '-' ? '' : word)));
}

function names(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

const sorted = (values: readonly string[] | undefined): string[] => [...(values ?? [])].sort();

describe('the scheme', () => {
  const scheme = new Scheme(allResources);

  it('has every kind under one name in one place', () => {
    const places = allResources.filter((definition) => !definition.virtual).map((definition) => definition.storagePath);
    assert.equal(places.includes(''), false);
    assert.deepEqual(
      places.filter((place, i) => places.indexOf(place) !== i),
      [],
    );
  });

  it('reads and writes every kind in its hub and its stored version', () => {
    for (const definition of allResources) {
      assert.ok(scheme.at(definition, definition.hub), definition.resource);
      assert.ok(scheme.at(definition, definition.storageVersion), definition.resource);
    }
  });

  it('has tables whose columns start with a name, or are listed as exceptions', () => {
    for (const { resource, table } of allResources) {
      if (table === undefined) continue;
      assert.ok(
        table.columns.every((column) => column.description !== ''),
        resource,
      );
      assert.equal(new Set(table.columns.map((column) => column.name)).size, table.columns.length, resource);
    }
  });

  for (const [
    groupVersion = '',
    path = '',
    kind = '',
    scope,
    verbs = '',
    singular,
    shortNames = '',
    categories = '',
    bodyVersion = '',
  ] of lines(KNOWN_RESOURCES)) {
    const [resource = '', subresource] = path.split('/');
    const expected = verbs === 'all' ? ALL_VERBS : names(verbs);
    it(`serves ${groupVersion} ${path}`, () => {
      const found = scheme.forResource(groupVersion, resource);
      assert.ok(found !== undefined && found.version.served !== false, 'is not served');
      const { definition } = found;
      assert.equal(definition.namespaced, scope === 'namespaced');
      if (subresource !== undefined) {
        return checkSubresource(
          definition.subresources?.find((sub) => sub.name === subresource),
          found.kind,
          groupVersion,
          { kind, expected, bodyVersion },
        );
      }
      assert.equal(found.kind, kind);
      assert.equal(scheme.forKind(groupVersion, kind)?.definition, definition);
      assert.equal(definition.singular, singular);
      assert.deepEqual(sorted(definition.verbs ?? ALL_VERBS), sorted(expected));
      assert.deepEqual(sorted(definition.shortNames), sorted(names(shortNames)));
      assert.deepEqual(sorted(definition.categories), sorted(names(categories)));
    });
  }

  for (const [group = '', resource = '', path] of lines(KNOWN_STORAGE_PATHS)) {
    it(`keeps ${resource} of ${group} in ${path}`, () => {
      const versions = allResources.filter((definition) => definition.resource === resource);
      const inGroup = versions.find(({ versions: all }) =>
        all.some((version) => (groupOf(version.groupVersion) || 'core') === group),
      );
      assert.equal(inGroup?.storagePath, path);
    });
  }
});

interface Expected {
  readonly kind: string;
  readonly expected: readonly string[];
  readonly bodyVersion: string;
}

function checkSubresource(
  // `any`: the parent's kind does not matter here.
  found: SubresourceDefinition<any> | undefined,
  parentKind: string,
  groupVersion: string,
  { kind, expected, bodyVersion }: Expected,
): void {
  assert.ok(found, 'no such subresource');
  assert.ok(found.groupVersions === undefined || found.groupVersions.includes(groupVersion), 'not in this version');
  assert.deepEqual(sorted(found.verbs), sorted(expected));
  const body =
    found.scale === undefined ? found.body : { group: 'autoscaling', version: 'v1', kind: 'Scale', ...found.body };
  assert.equal(body?.kind ?? parentKind, kind);
  if (bodyVersion === '') return;
  assert.deepEqual([body?.group, body?.version], [groupOf(bodyVersion), versionOf(bodyVersion)]);
}
