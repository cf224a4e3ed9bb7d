import assert from 'node:assert/strict';
import { constantsOf, hasSchema, schemaNames, schemaOf } from './schemas.ts';

describe('schemaOf', () => {
  it('knows a field by its JSON name', () => {
    const containers = schemaOf('core/v1.PodSpec').field('containers')!;
    assert.deepEqual(
      [containers.kind, containers.card, containers.patchStrategy, containers.patchMergeKey, containers.message?.name],
      ['message', 'list', 'merge', 'name', 'core/v1.Container'],
    );
    const replicas = schemaOf('apps/v1.DeploymentSpec').field('replicas')!;
    assert.deepEqual(
      [replicas.kind, replicas.pointer, replicas.omitEmpty, replicas.message],
      ['int32', true, true, undefined],
    );
    assert.equal(schemaOf('core/v1.ResourceRequirements').field('limits')!.kind, 'quantity');
  });

  it('begins kinds with their type', () =>
    assert.deepEqual(
      schemaOf('core/v1.Pod')
        .fields.slice(0, 3)
        .map((f) => f.name),
      ['kind', 'apiVersion', 'metadata'],
    ));

  it('gives one table for one message', () => {
    assert.equal(schemaOf('core/v1.Pod'), schemaOf('core/v1.Pod'));
    assert.equal(schemaOf('core/v1.Pod').field('metadata')!.message, schemaOf('meta/v1.ObjectMeta'));
  });

  it('knows nothing by names of the prototype', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'no/such.Message']) {
      assert.throws(() => schemaOf(name), { message: `no message ${name}` });
      assert.equal(hasSchema(name), false);
      assert.equal(schemaOf('core/v1.Pod').field(name), undefined);
    }
  });

  it('has a table for everything that a field refers to', () => {
    const names = schemaNames();
    assert.ok(names.length > 500);
    for (const name of names) {
      const { fields } = schemaOf(name);
      assert.equal(new Set(fields.map((f) => f.name)).size, fields.length, name);
      for (const field of fields) {
        if (field.kind === 'message') assert.ok(field.message !== undefined, `${name}.${field.name}`);
        if (field.default !== undefined)
          assert.doesNotThrow(() => void JSON.parse(field.default!), `${name}.${field.name}`);
        if (field.patchMergeKey !== undefined && field.kind === 'message')
          assert.ok(field.message!.field(field.patchMergeKey) !== undefined, `${name}.${field.name}`);
      }
    }
  });
});

describe('constantsOf', () => {
  it('lists the values of a string type', () => {
    const policy = schemaOf('core/v1.PodSpec').field('restartPolicy')!;
    assert.ok(policy.enum === undefined || constantsOf(policy.enum).includes('Always'));
    assert.deepEqual(constantsOf('no/such.Type'), []);
    const listed = schemaNames()
      .flatMap((name) => schemaOf(name).fields)
      .filter((f) => f.enum !== undefined);
    assert.ok(listed.length > 50);
    for (const field of listed) assert.ok(constantsOf(field.enum!).length > 0, field.enum);
  });
});
