import assert from 'node:assert/strict';
import { resourceAt } from './cached-testing.ts';
import { formFor } from './form-for.ts';
import { JsonForm } from './json-form.ts';
import { PartialJsonForm } from './partial-json-form.ts';
import { ProtobufForm } from './protobuf-form.ts';
import { TableForm } from './table-form.ts';

describe('formFor', () => {
  const maps = resourceAt('v1', 'configmaps');
  const secrets = resourceAt('v1', 'secrets');
  const metadata = { as: 'PartialObjectMetadata', version: 'v1' } as const;

  it('picks the form for what was negotiated', () => {
    assert.ok(formFor(maps, { media: 'json', pretty: false }, null) instanceof JsonForm);
    assert.ok(formFor(maps, { media: 'yaml', pretty: false }, null) instanceof JsonForm);
    assert.ok(formFor(maps, { media: 'protobuf', pretty: false }, null) instanceof ProtobufForm);
    assert.ok(
      formFor(maps, { media: 'json', pretty: false, transform: { as: 'Table', version: 'v1' } }, 'None') instanceof
        TableForm,
    );
    assert.ok(formFor(maps, { media: 'json', pretty: false, transform: metadata }, null) instanceof PartialJsonForm);
    assert.ok(
      formFor(
        maps,
        { media: 'protobuf', pretty: false, transform: { as: 'PartialObjectMetadataList', version: 'v1beta1' } },
        null,
      ) instanceof ProtobufForm,
    );
  });

  it('gives all who want the same one form, and others another', () => {
    const json = { media: 'json', pretty: false } as const;
    assert.equal(formFor(maps, json, null), formFor(maps, json, null));
    assert.equal(formFor(maps, json, null).item.key, formFor(maps, { media: 'yaml', pretty: true }, null).item.key);
    assert.notEqual(formFor(maps, json, null), formFor(secrets, json, null));
    const keys = [
      formFor(maps, json, null),
      formFor(maps, { ...json, media: 'protobuf' }, null),
      formFor(maps, { ...json, transform: metadata }, null),
      formFor(maps, { ...json, transform: { ...metadata, version: 'v1beta1' } }, null),
      formFor(maps, { media: 'protobuf', pretty: false, transform: metadata }, null),
    ].map((f) => f.item.key);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('has a table for each who asks', () => {
    const table = { media: 'json', pretty: false, transform: { as: 'Table', version: 'v1' } } as const;
    assert.notEqual(formFor(maps, table, null), formFor(maps, table, null));
    assert.throws(() => formFor(maps, table, 'Everything'), { message: /includeObject: Invalid value: "Everything"/ });
  });
});
