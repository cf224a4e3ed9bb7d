import assert from 'node:assert/strict';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { builtInRegistry } from './built-in-registry.ts';
import { type AnyResource, defineResource } from './resource-definition.ts';
import { type ResourceChange, ResourceRegistry } from './resource-registry.ts';

/** A kind of the shape of ConfigMap. */
function kind(resource: string, versions: readonly string[], more: Partial<AnyResource> = {}): AnyResource {
  const [stored] = versions;
  return defineResource<ApiObject>({
    group: 'example.com',
    resource,
    kind: `${resource}Kind`,
    singular: resource,
    namespaced: true,
    hub: stored!,
    storageVersion: stored!,
    storagePath: `example.com/${resource}`,
    versions: versions.map((groupVersion) => ({ groupVersion, message: 'core/v1.ConfigMap' })),
    validateName: () => [],
    ...more,
  });
}

/** A registry with one kind, and what its listeners were given. */
function registry(...definitions: readonly AnyResource[]): { registry: ResourceRegistry; changes: ResourceChange[] } {
  const made = new ResourceRegistry(definitions);
  const changes: ResourceChange[] = [];
  made.listen((change) => changes.push(change));
  return { registry: made, changes };
}

const V1 = 'example.com/v1';
const V2 = 'example.com/v2';

describe('the resource registry', () => {
  it('finds its resources under each of their names', () => {
    const things = kind('things', [V1, V2]);
    const { registry: made } = registry(things);
    assert.equal(made.forResource(V2, 'things')?.definition, things);
    assert.equal(made.forKind(V1, 'thingsKind')?.definition, things);
    assert.equal(made.named('things.example.com'), things);
    assert.equal(made.forStoragePath('example.com/things'), things);
    assert.deepEqual(made.resources, [things]);
  });

  it('adds, replaces and removes, and names the groups of each change', () => {
    const { registry: made, changes } = registry();
    const things = kind('things', [V1]);
    const widened = kind('things', [V1, 'other.example.com/v1']);
    made.add(things);
    made.replace(things, widened);
    assert.equal(made.forResource('other.example.com/v1', 'things')?.definition, widened);
    assert.equal(made.at(things, V1), undefined);
    made.remove(widened);
    assert.deepEqual(
      [made.resources, made.forResource(V1, 'things'), made.named('things.example.com')],
      [[], undefined, undefined],
    );
    assert.equal(made.forStoragePath('example.com/things'), undefined);
    assert.deepEqual(
      changes.map(({ previous, definition, groups }) => [previous, definition, [...groups].sort()]),
      [
        [undefined, things, ['example.com']],
        [things, widened, ['example.com', 'other.example.com']],
        [widened, undefined, ['example.com', 'other.example.com']],
      ],
    );
  });

  const collisions: readonly (readonly [what: string, definition: AnyResource])[] = [
    ['name', kind('things', [V1], { kind: 'Other', storagePath: 'elsewhere' })],
    ['kind', kind('others', [V1], { kind: 'thingsKind' })],
    ['path', kind('others', [V1], { storagePath: 'example.com/things' })],
    ['path within a path', kind('others', [V1], { storagePath: 'example.com' })],
    ['path around a path', kind('others', [V1], { storagePath: 'example.com/things/more' })],
    ['hub that is no version', kind('others', [V1], { hub: V2 })],
    ['stored version that is no version', kind('others', [V1], { storageVersion: V2 })],
  ];
  for (const [what, definition] of collisions) {
    it(`refuses a taken or missing ${what}, and changes nothing`, () => {
      const things = kind('things', [V1]);
      const spare = kind('spare', [V1]);
      const { registry: made, changes } = registry(things, spare);
      assert.throws(() => made.add(definition));
      assert.throws(() => made.replace(spare, definition));
      assert.deepEqual([...made.resources].sort(byName), [spare, things].sort(byName));
      assert.equal(made.forResource(V1, 'things')?.definition, things);
      assert.equal(made.forResource(V1, 'spare')?.definition, spare);
      assert.deepEqual(changes, []);
    });
  }

  it('neither replaces nor removes unknown definitions', () => {
    const { registry: made } = registry();
    assert.throws(() => made.remove(kind('things', [V1])), /not registered/);
    assert.throws(() => made.replace(kind('things', [V1]), kind('things', [V1])), /not registered/);
  });

  it('finds what is being opened by its path alone', async () => {
    const things = kind('things', [V1]);
    const { registry: made, changes } = registry();
    const found = (): unknown[] => [made.forStoragePath('example.com/things'), made.named('things.example.com')];
    const failed = made.opening(things, async () => {
      assert.deepEqual(found(), [things, undefined]);
      throw new Error('no answer');
    });
    await assert.rejects(failed, /no answer/);
    assert.deepEqual([found(), changes], [[undefined, undefined], []]);
    await made.opening(things, async () => made.add(things));
    assert.deepEqual([found(), changes.length], [[things, things], 1]);
    const other = kind('others', [V1], { storagePath: 'example.com/things' });
    await assert.rejects(
      made.opening(other, async () => assert.fail('the path is taken')),
      /example.com\/things is registered twice/,
    );
    assert.deepEqual(found(), [things, things]);
  });

  it('gives the hub version of what was removed to those who still work on it', () => {
    const things = kind('things', [V1, V2]);
    const { registry: made } = registry(things);
    made.remove(things);
    const hub = made.hub(things);
    assert.deepEqual([hub.definition, hub.groupVersion, hub.kind], [things, V1, 'thingsKind']);
  });

  it('calls no removed listener', () => {
    const { registry: made } = registry();
    let count = 0;
    const end = made.listen(() => count++);
    made.add(kind('things', [V1]));
    end();
    made.add(kind('others', [V1]));
    assert.equal(count, 1);
  });

  it('is one for each server', () => {
    const first = builtInRegistry();
    const second = builtInRegistry();
    first.add(kind('things', [V1]));
    assert.equal(second.forResource(V1, 'things'), undefined);
    assert.ok(second.forResource('v1', 'pods') !== undefined);
  });
});

function byName(a: AnyResource, b: AnyResource): number {
  return a.resource < b.resource ? -1 : 1;
}
