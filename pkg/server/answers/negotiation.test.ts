import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { bodyMediaType, negotiate, type Accepted } from './negotiation.ts';

const everything = { protobuf: true, transforms: 'all' } as const;
const table = (media: string, version: string) => `${media};as=Table;g=meta.k8s.io;v=${version}`;

/** Message and details of the 406. */
function refusal(accept: string): unknown[] {
  try {
    negotiate(accept, everything);
  } catch (error) {
    assert.ok(error instanceof StatusError && error.code === 406);
    return [error.message, error.status.details];
  }
  return assert.fail('accepted');
}

describe('negotiate', () => {
  const cases: readonly (readonly [accept: string | undefined, expected: Accepted])[] = [
    [undefined, { media: 'json', pretty: false }],
    ['', { media: 'json', pretty: false }],
    ['*/*', { media: 'json', pretty: false }],
    ['application/json', { media: 'json', pretty: false }],
    ['APPLICATION/JSON', { media: 'json', pretty: false }],
    ['application/json;pretty=1', { media: 'json', pretty: true }],
    ['application/json;pretty=0', { media: 'json', pretty: false }],
    ['application/yaml', { media: 'yaml', pretty: false }],
    ['application/vnd.kubernetes.protobuf', { media: 'protobuf', pretty: false }],
    // The highest quality first, then the order of the header; wildcards after what is named.
    ['application/yaml;q=0.5, application/json;q=0.9', { media: 'json', pretty: false }],
    ['application/yaml, application/json', { media: 'yaml', pretty: false }],
    ['*/*, application/yaml', { media: 'yaml', pretty: false }],
    ['application/yaml;q=0.1, */*', { media: 'json', pretty: false }],
    ['text/html, application/xhtml+xml, */*;q=0.8', { media: 'json', pretty: false }],
    ['application/json;q=0, application/yaml;q=0.001', { media: 'yaml', pretty: false }],
    // Transformations, and the alternatives where one is not known.
    [table('application/json', 'v1'), { media: 'json', pretty: false, transform: { as: 'Table', version: 'v1' } }],
    [
      table('application/yaml', 'v1beta1'),
      { media: 'yaml', pretty: false, transform: { as: 'Table', version: 'v1beta1' } },
    ],
    [
      `${table('application/json', 'v9')},${table('application/json', 'v1beta1')},application/json`,
      { media: 'json', pretty: false, transform: { as: 'Table', version: 'v1beta1' } },
    ],
    [`${table('application/json', 'v9')},application/json`, { media: 'json', pretty: false }],
    [`${table('application/vnd.kubernetes.protobuf', 'v1')},application/yaml`, { media: 'yaml', pretty: false }],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      { media: 'protobuf', pretty: false, transform: { as: 'PartialObjectMetadata', version: 'v1' } },
    ],
    [
      'application/json;as="PartialObjectMetadataList";g="meta.k8s.io";v="v1beta1"',
      { media: 'json', pretty: false, transform: { as: 'PartialObjectMetadataList', version: 'v1beta1' } },
    ],
    ['application/json;as=;g=meta.k8s.io', { media: 'json', pretty: false }],
    ['*/*;as=Table;g=meta.k8s.io;v=v1', { media: 'json', pretty: false, transform: { as: 'Table', version: 'v1' } }],
  ];
  for (const [accept, expected] of cases)
    it(`reads ${accept ?? 'no header'}`, () => assert.deepEqual(negotiate(accept, everything), expected));

  const unknown = [
    'text/html',
    'nonsense',
    ';;;',
    ',,,',
    'text/*',
    'application/*',
    'application/__proto__',
    `application/json;${'a=b;'.repeat(2000)}`,
  ];
  for (const accept of unknown)
    it(`refuses ${accept.slice(0, 60)}`, () => assert.deepEqual(refusal(accept), ['406: Not Acceptable', {}]));

  const unfit = [
    'application/json;q=0',
    'application/json;q=-1',
    'application/json;q=nonsense',
    '*/*;q=0',
    'text/html,application/json;as=Nonsense',
    'application/json;as=Table',
    'application/json;as=Table;g=other;v=v1',
    table('application/json', 'v2'),
    table('application/vnd.kubernetes.protobuf', 'v1'),
  ];
  const listed =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  for (const accept of unfit)
    it(`refuses the parameters of the media type in ${accept}`, () =>
      assert.deepEqual(refusal(accept), [listed, undefined]));

  it('keeps the answers for different offers apart', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf,application/json';
    const asTable = `${table('application/json', 'v1')},application/json`;
    for (let round = 0; round < 2; round++) {
      assert.equal(negotiate(protobuf, { protobuf: true, transforms: 'none' }).media, 'protobuf');
      assert.equal(negotiate(protobuf, { protobuf: false, transforms: 'all' }).media, 'json');
      assert.equal(negotiate(asTable, { protobuf: true, transforms: 'all' }).transform?.as, 'Table');
      assert.equal(negotiate(asTable, { protobuf: true, transforms: 'metadata' }).transform, undefined);
      assert.equal(negotiate(asTable, { protobuf: true, transforms: 'none' }).transform, undefined);
    }
  });

  it('gives metadata in protobuf even of kinds that have no protobuf form', () => {
    const partial = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    assert.equal(negotiate(partial, { protobuf: false, transforms: 'all' }).media, 'protobuf');
  });

  it('shows kinds without a table as themselves or as metadata', () => {
    const metadata = { protobuf: true, transforms: 'metadata' } as const;
    assert.throws(
      () => negotiate(table('application/json', 'v1'), metadata),
      /only the following media types are accepted/,
    );
    assert.equal(
      negotiate('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', metadata).transform?.as,
      'PartialObjectMetadata',
    );
  });

  it('answers alike after any number of different headers', () => {
    for (let i = 0; i < 2500; i++)
      assert.deepEqual(negotiate(`application/yaml;x=${i}`, everything), { media: 'yaml', pretty: false });
    assert.deepEqual(negotiate('application/yaml;x=1', everything), { media: 'yaml', pretty: false });
  });
});

describe('bodyMediaType', () => {
  const cases = new Map([
    [undefined, 'json'],
    ['', 'json'],
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    [' Application/YAML ;x=y', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['text/plain', undefined],
    ['application/json-patch+json', undefined],
    ['__proto__', undefined],
    ['*/*', undefined],
  ]);
  for (const [contentType, media] of cases)
    it(`takes ${contentType ?? 'none'} for ${media ?? 'unknown'}`, () =>
      assert.equal(bodyMediaType(contentType), media));
});
