import assert from 'node:assert/strict';
import { packBytes, unpackBytes } from './packed-bytes.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { cached, resourceAt } from './cached-testing.ts';
import { encodeItems } from './encode-items.ts';
import { formFor } from './form-for.ts';

const deployments = resourceAt('apps/v1', 'deployments');
const objects = [1, 2, 3].map((i) =>
  cached(
    deployments,
    {
      metadata: { name: `d${i}`, namespace: 'n', annotations: { ['__proto__']: 'x' } },
      spec: { selector: {}, template: { metadata: {}, spec: { containers: [] } }, strategy: {} },
      status: {},
    },
    i,
  ),
);
const accepted: readonly Accepted[] = [
  { media: 'json', pretty: false },
  { media: 'yaml', pretty: false },
  { media: 'protobuf', pretty: false },
  { media: 'json', pretty: true, transform: { as: 'PartialObjectMetadataList', version: 'v1' } },
  { media: 'protobuf', pretty: false, transform: { as: 'PartialObjectMetadata', version: 'v1beta1' } },
];

describe('encodeItems', () => {
  for (const groupVersion of ['apps/v1', 'extensions/v1beta1']) {
    for (const wanted of accepted) {
      it(`gives the same bytes as the form does: ${groupVersion} ${JSON.stringify(wanted)}`, () => {
        const batch = {
          groupVersion,
          resource: 'deployments',
          accepted: wanted,
          values: packBytes(objects.map((o) => o.value)),
          revisions: Float64Array.from(objects, (o) => o.revision),
        };
        const items = unpackBytes(encodeItems(structuredClone(batch)));
        const { item } = formFor(resourceAt(groupVersion, 'deployments'), wanted, null);
        assert.deepEqual(
          items.map((bytes) => Buffer.from(bytes)),
          objects.map((object) => Buffer.from(item.encode(object))),
        );
      });
    }
  }

  it('throws on resources and values that it cannot know', () => {
    const batch = {
      groupVersion: 'apps/v1',
      resource: 'deployments',
      accepted: accepted[0]!,
      values: packBytes([Buffer.from('k8s\0\x0a\xff')]),
      revisions: Float64Array.of(1),
    };
    assert.throws(() => encodeItems({ ...batch, resource: 'nothings' }), /no nothings in apps\/v1/);
    assert.throws(() => encodeItems(batch));
  });
});
