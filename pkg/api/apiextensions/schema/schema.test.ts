import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import { validateOpenApiSchema } from './openapi-validation.ts';
import { validateStructural } from './structural-validation.ts';
import { hasDefaults, schemaDepth } from './sub-schemas.ts';

const text = { type: 'string' };

function openApi(schema: JSONSchemaProps): string[] {
  const errors = new FieldErrors();
  validateOpenApiSchema(schema, { knownTypes: true, atomicSetItems: true, mapKeysAlwaysSet: true }, field('s'), errors);
  return errors.items.map(fieldErrorText);
}

function structural(schema: JSONSchemaProps): string[] {
  const errors = new FieldErrors();
  validateStructural(schema, field('s'), errors);
  return errors.items.map(fieldErrorText);
}

describe('OpenAPI schemas of custom resources', () => {
  it('refuse unsupported keywords', () => {
    assert.deepEqual(
      openApi({
        type: 'any',
        id: 'x',
        $ref: '#',
        patternProperties: { a: text },
        definitions: { a: text },
        uniqueItems: true,
      }),
      [
        's.type: Unsupported value: "any": supported values: "array", "boolean", "integer", "number", "object", "string"',
        's.id: Forbidden: id is not supported',
        's.patternProperties: Forbidden: patternProperties is not supported',
        's.definitions: Forbidden: definitions is not supported',
        's.$ref: Forbidden: $ref is not supported',
        's.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    );
    assert.deepEqual(openApi({ type: 'array', items: [text] }), [
      's.items: Forbidden: items must be a schema object and not an array',
    ]);
    assert.deepEqual(openApi({ type: 'object', properties: { a: text }, additionalProperties: text }), [
      's.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ]);
    assert.deepEqual(openApi({ 'x-kubernetes-preserve-unknown-fields': false }), [
      's.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ]);
  });

  it('allow no defaults in metadata', () => {
    assert.deepEqual(
      openApi({ properties: { metadata: { type: 'object', properties: { name: { ...text, default: 'x' } } } } }),
      ['s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata'],
    );
    assert.deepEqual(
      openApi({ properties: { spec: { type: 'object', properties: { name: { ...text, default: 'x' } } } } }),
      [],
    );
  });

  it('declare how lists are merged', () => {
    const item = { type: 'object', properties: { a: text, b: { type: 'object' } }, required: ['b'] };
    assert.deepEqual(
      openApi({
        type: 'array',
        items: item,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b', 'c', 'a'],
      }),
      [
        's.items.properties[b].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
        's.x-kubernetes-list-map-keys: Invalid value: ["a","b","c","a"]: entries must all be names of item properties',
        's.x-kubernetes-list-map-keys: Invalid value: ["a","b","c","a"]: must not contain duplicate entries',
        's.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        's.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    );
    assert.deepEqual(openApi({ type: 'object', 'x-kubernetes-list-type': 'heap', 'x-kubernetes-map-type': 'x' }), [
      's.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
      's.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
      's.x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"',
    ]);
    assert.deepEqual(openApi({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }), [
      's.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ]);
  });

  it('quote a long list of keys once, however many of them are wrong', () => {
    const errors = new FieldErrors();
    const schema = {
      type: 'array',
      items: { type: 'object', properties: {} },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': Array.from({ length: 100 }, (_, i) => `k${i}`),
    };
    validateOpenApiSchema(
      schema,
      { knownTypes: true, atomicSetItems: true, mapKeysAlwaysSet: true },
      field('s'),
      errors,
    );
    const lists = errors.items.filter(({ field: at }) => at === 's.x-kubernetes-list-map-keys');
    assert.equal(lists.length, 100);
    assert.equal(new Set(lists.map(({ badValue }) => badValue)).size, 1);
  });
});

describe('structural schemas', () => {
  it('have types everywhere', () => {
    assert.deepEqual(
      structural({ type: 'object', properties: { a: {}, b: { type: 'array' }, c: { type: 'array', items: {} } } }),
      [
        's.properties[a].type: Required value: must not be empty for specified object fields',
        's.properties[b].items: Required value: must be specified',
        's.properties[c].items.type: Required value: must not be empty for specified array items',
      ],
    );
    assert.deepEqual(structural({ type: 'string', additionalProperties: text }), [
      's.additionalProperties: Forbidden: must not be used at the root',
      's.type: Invalid value: "string": must be object at the root',
    ]);
    assert.deepEqual(
      structural({
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { a: { 'x-kubernetes-int-or-string': true } },
      }),
      [],
    );
  });

  it('leave apiVersion, kind and metadata unchanged', () => {
    assert.deepEqual(
      structural({
        type: 'object',
        properties: {
          kind: { type: 'integer' },
          metadata: { type: 'object', properties: { labels: { type: 'object' } } },
        },
      }),
      [
        's.properties[kind].type: Invalid value: "integer": must be string',
        's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    );
    assert.deepEqual(
      structural({ type: 'object', properties: { metadata: { type: 'object', properties: { name: text } } } }),
      [],
    );
  });

  it('declare nothing in junctors', () => {
    assert.deepEqual(
      structural({
        type: 'object',
        properties: { a: text },
        anyOf: [
          { type: 'object', description: 'x' },
          { properties: { a: { nullable: true }, b: { minLength: 1 }, metadata: {} } },
        ],
        not: { default: 1 },
      }),
      [
        's.anyOf[0].description: Forbidden: must be empty to be structural',
        's.anyOf[0].type: Forbidden: must be empty to be structural',
        's.anyOf[1].properties[a].nullable: Forbidden: must be false to be structural',
        's.anyOf[1].properties[metadata]: Forbidden: must not be specified in a nested context',
        's.not.default: Forbidden: must be undefined to be structural',
        's.properties[b]: Required value: because it is defined in s.anyOf[1].properties[b]',
        's.properties[metadata]: Required value: because it is defined in s.anyOf[1].properties[metadata]',
      ],
    );
  });

  it('may distinguish integers and strings', () => {
    const anyOf = [{ type: 'integer' }, { type: 'string' }];
    const a = { 'x-kubernetes-int-or-string': true };
    assert.deepEqual(
      structural({
        type: 'object',
        properties: { a: { ...a, anyOf }, b: { ...a, allOf: [{ anyOf }, { pattern: '^x$' }] } },
      }),
      [],
    );
    assert.equal(structural({ type: 'object', properties: { a: { ...a, anyOf: [{ type: 'integer' }] } } }).length, 1);
  });

  it('have patterns that compile', () => {
    assert.match(
      structural({ type: 'object', properties: { a: { ...text, pattern: '(' } } })[0]!,
      /must be a valid regular expression, but isn't/,
    );
    assert.deepEqual(structural({ type: 'object', properties: { a: { ...text, pattern: '(?i)x\\z' } } }), []);
  });
});

describe('schemas inside schemas', () => {
  it('are counted and searched without recursion', () => {
    let schema: JSONSchemaProps = { default: 1 };
    for (let i = 0; i < 50_000; i++) schema = { not: schema };
    assert.equal(schemaDepth(schema), 50_001);
    assert.equal(hasDefaults(schema), true);
  });
});
