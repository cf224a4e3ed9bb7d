import assert from 'node:assert/strict';
import { create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { customResourceDefinition as definition } from './custom-resource-definition.ts';

const V1 = 'apiextensions.k8s.io/v1';
const BETA = 'apiextensions.k8s.io/v1beta1';
const metadata = { name: 'pandas.bears.example.com' };
const names = { plural: 'pandas', kind: 'Panda' };
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { age: { type: 'integer' } } } },
  },
};
const version = { name: 'v1', served: true, storage: true, schema };

function body(spec: object = {}): object {
  return { metadata, spec: { group: 'bears.example.com', scope: 'Namespaced', names, versions: [version], ...spec } };
}

function problems(spec: object): string[] {
  return create(definition, V1, body(spec)).texts;
}

describe('custom resource definition', () => {
  it('is filled in, and remembers its storage version', () => {
    const object = stored(definition, V1, body());
    assert.deepEqual(object.spec.names, { plural: 'pandas', singular: 'panda', kind: 'Panda', listKind: 'PandaList' });
    assert.deepEqual(object.spec.conversion, { strategy: 'None' });
    assert.deepEqual(object.status.storedVersions, ['v1']);
    assert.equal(object.metadata.generation, 1);
    const { object: changed, texts } = update(definition, V1, object, (c) => {
      c.spec.versions[0].storage = false;
      c.spec.versions.push({ ...version, name: 'v2' });
    });
    assert.deepEqual(texts, []);
    assert.deepEqual(changed.status.storedVersions, ['v1', 'v2']);
    assert.deepEqual(object.status.storedVersions, ['v1']);
    assert.equal(changed.metadata.generation, 2);
    changed.metadata.resourceVersion = '2';
    assert.deepEqual(update(definition, V1, changed, (c) => c.spec.versions.shift()).texts, [
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
    ]);
  });

  it('warns clients that create one, and none that update it', () => {
    const object = stored(definition, V1, body());
    assert.deepEqual(definition.warnings!(object, undefined), [
      'custom resources are not served yet: the definition is stored, but never becomes Established',
    ]);
    assert.deepEqual(definition.warnings!(object, object), []);
  });

  it('has a name made of plural and group, and all names', () => {
    assert.deepEqual(create(definition, V1, { ...body(), metadata: { name: 'x' } }).texts, [
      'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ]);
    assert.deepEqual(
      create(definition, V1, { metadata, spec: {} }).texts.map((text) => text.split(':')[0]),
      [
        'metadata.name',
        'spec.group',
        'spec.scope',
        'spec.versions',
        'spec.names.plural',
        'spec.names.singular',
        'spec.names.kind',
        'spec.names.listKind',
        'status.storedVersions',
      ],
    );
    assert.deepEqual(
      problems({ names: { ...names, listKind: 'Panda', shortNames: ['P'] } }).map((text) =>
        text.replace(/DNS-1035.*/, '...'),
      ),
      [
        'spec.names.shortNames[0]: Invalid value: "P": a ...',
        'spec.names.listKind: Invalid value: "Panda": kind and listKind may not be the same',
      ],
    );
    assert.deepEqual(problems({ scope: 'World' }), [
      'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    ]);
  });

  it('has versions with schemas, one of them for storage', () => {
    assert.deepEqual(problems({ versions: [{ ...version, schema: undefined }] }), [
      'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
    ]);
    assert.deepEqual(
      problems({ versions: [version, version] }).map((text) => text.replace(/Invalid value: \S+: /, '')),
      [
        'spec.versions: must contain unique version names',
        'spec.versions: must have exactly one version marked as storage version',
      ],
    );
    assert.deepEqual(
      problems({ versions: [{ ...version, name: 'V1' }] }).map((text) => text.replace(/DNS-1035.*/, '...')),
      ['spec.versions[0].name: Invalid value: "V1": a ...', 'spec.version: Invalid value: "V1": a ...'],
    );
    assert.deepEqual(problems({ preserveUnknownFields: true }), [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in ' +
        'spec.versions[*].schema instead',
    ]);
    assert.deepEqual(problems({ versions: [{ ...version, deprecationWarning: 'a\u0007' }] }), [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\a": can only be set for deprecated versions',
    ]);
    assert.deepEqual(problems({ versions: [{ ...version, deprecated: true, deprecationWarning: 'a\u0007' }] }), [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\a": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ]);
  });

  it('names places of what all versions share as the beta version does', () => {
    const bad = { openAPIV3Schema: { type: 'object', properties: { a: {} } } };
    assert.deepEqual(problems({ versions: [{ ...version, schema: bad }] }), [
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
    assert.deepEqual(problems({ versions: [version, { ...version, name: 'v2', storage: false, schema: bad }] }), [
      'spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
  });

  it('checks subresources, columns and the root of schemas with a status', () => {
    const scale = { specReplicasPath: '.status.x', statusReplicasPath: 'x' };
    const columns = [{ name: '', type: 'text', jsonPath: 'x', format: 'y' }];
    assert.deepEqual(
      problems({ versions: [{ ...version, subresources: { scale }, additionalPrinterColumns: columns }] }),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "x": must be a simple json path starting with .',
        'spec.additionalPrinterColumns[0].name: Required value',
        'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].format: Invalid value: "y": must be one of binary,byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
      ],
    );
    const root = { openAPIV3Schema: { ...schema.openAPIV3Schema, maxProperties: 5 } };
    assert.match(
      problems({ versions: [{ ...version, schema: root, subresources: { status: {} } }] })[0]!,
      /fields are allowed at the root of the schema if the status subresource is enabled$/,
    );
    assert.deepEqual(problems({ versions: [{ ...version, subresources: { status: {} } }] }), []);
  });

  it('checks conversion', () => {
    assert.deepEqual(problems({ conversion: { strategy: 'Webhook' } }), [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ]);
    const webhook = { clientConfig: { service: { name: 's', namespace: 'n' } }, conversionReviewVersions: ['v9'] };
    assert.deepEqual(problems({ conversion: { strategy: 'Webhook', webhook } }), [
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ]);
    assert.deepEqual(problems({ conversion: { strategy: 'None', webhook } }).length, 2);
  });

  it('requires approval for groups of the community', () => {
    const spec = { group: 'x.k8s.io', scope: 'Cluster', names, versions: [version] };
    const approve = (annotations?: object): string[] =>
      create(definition, V1, { metadata: { name: 'pandas.x.k8s.io', annotations }, spec }).texts;
    assert.match(
      approve()[0]!,
      /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups must have approval annotation/,
    );
    assert.match(
      approve({ 'api-approved.kubernetes.io': 'yes' })[0]!,
      /Invalid value: "yes": .* with either a URL or a reason starting with \\?"unapproved/,
    );
    assert.deepEqual(approve({ 'api-approved.kubernetes.io': 'https://github.com/x' }), []);
    assert.deepEqual(approve({ 'api-approved.kubernetes.io': 'unapproved, a test' }), []);
  });

  it('keeps scope and kind after it is established, group and plural always', () => {
    const object = stored(definition, V1, body());
    const change = (c: { spec: { scope: string } }): unknown => (c.spec.scope = 'Cluster');
    assert.deepEqual(update(definition, V1, object, change).texts, []);
    object.status.conditions = [{ type: 'Established', status: 'True', lastTransitionTime: null }];
    assert.deepEqual(update(definition, V1, object, change).texts, [
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
    assert.deepEqual(update(definition, V1, object, (c) => (c.spec.names.plural = 'bears')).texts, [
      'spec.names.plural: Invalid value: "bears": field is immutable',
    ]);
  });

  describe('in the beta version', () => {
    it('has one schema for all versions, and unknown fields are kept', () => {
      const old = {
        metadata,
        spec: {
          group: 'bears.example.com',
          version: 'v1',
          names,
          validation: { openAPIV3Schema: { properties: { a: {} } } },
          additionalPrinterColumns: [{ name: 'A', type: 'date', JSONPath: '.a' }],
        },
      };
      const { object, texts } = create(definition, BETA, old);
      assert.deepEqual(texts, []);
      assert.deepEqual(object.spec.versions, [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { properties: { a: {} } } },
          additionalPrinterColumns: [{ name: 'A', type: 'date', jsonPath: '.a' }],
        },
      ]);
      assert.deepEqual([object.spec.scope, object.spec.preserveUnknownFields], ['Namespaced', true]);
      const served = serve(definition, BETA, object);
      assert.deepEqual(served.spec.validation, old.spec.validation);
      assert.deepEqual(served.spec.additionalPrinterColumns, old.spec.additionalPrinterColumns);
      assert.deepEqual(
        [served.spec.version, served.spec.versions],
        ['v1', [{ name: 'v1', served: true, storage: true }]],
      );
      object.metadata.resourceVersion = '1';
      assert.deepEqual(update(definition, V1, object, (c) => (c.metadata.labels = { a: 'b' })).texts, []);
    });

    it('holds all fields of v1', () => {
      const webhook = {
        clientConfig: { service: { name: 's', namespace: 'n', path: '/x', port: 443 } },
        conversionReviewVersions: ['v1'],
      };
      for (const spec of [
        {},
        { conversion: { strategy: 'Webhook', webhook } },
        {
          versions: [
            version,
            {
              ...version,
              name: 'v2',
              storage: false,
              schema: { openAPIV3Schema: { type: 'object' } },
              subresources: { status: {} },
            },
          ],
        },
        {
          versions: [
            version,
            {
              ...version,
              name: 'v2',
              storage: false,
              additionalPrinterColumns: [{ name: 'A', type: 'date', jsonPath: '.a' }],
            },
          ],
        },
      ]) {
        const hub = decode(definition, V1, body(spec));
        assert.deepEqual(decode(definition, BETA, serve(definition, BETA, hub)).spec, hub.spec);
      }
    });

    it('requires structure where fields are pruned', () => {
      const spec = { group: 'bears.example.com', version: 'v1', names, preserveUnknownFields: false };
      assert.deepEqual(create(definition, BETA, { metadata, spec }).texts, [
        'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
      ]);
      assert.deepEqual(
        create(definition, BETA, { metadata, spec: { ...spec, validation: { openAPIV3Schema: {} } } }).texts,
        ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
      );
    });
  });
});
