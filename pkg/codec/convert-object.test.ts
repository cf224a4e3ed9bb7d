import assert from 'node:assert/strict';
import { convertObject, formats, type Format } from './convert-object.ts';
import { encodeEnvelope } from './protobuf/envelope.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: 'b' } };
const input = (text: string) => Buffer.from(text, 'latin1');
const magic = 'k8s\0';

describe('convertObject', () => {
  it('converts an object from any form into any other', () => {
    const forms = new Map(
      formats.map((format) => [format, convertObject(Buffer.from(JSON.stringify(map)), 'json', format)]),
    );
    for (const from of formats) {
      for (const to of formats) {
        const back = JSON.parse(
          Buffer.from(convertObject(convertObject(forms.get(from)!, undefined, to), to, 'json')).toString(),
        ) as unknown;
        assert.deepEqual(back, map, `${from} to ${to}`);
      }
    }
  });

  it('leaves objects of unknown kinds unchanged, between JSON and YAML', () => {
    assert.equal(
      Buffer.from(
        convertObject(input(' \n{"kind":"Own","apiVersion":"x/v1","n":9007199254740993}'), undefined, 'yaml'),
      ).toString(),
      'apiVersion: x/v1\nkind: Own\n"n": 9007199254740993\n',
    );
  });

  it('reads JSON inside an envelope', () => {
    const json = Buffer.from(JSON.stringify(map));
    const enveloped = Buffer.concat([
      encodeEnvelope('v1', 'ConfigMap', (w) => void json.forEach((byte) => w.uint32(byte))).subarray(0, -4),
      input('\x1a\x00\x22\x10application/json'),
    ]);
    assert.deepEqual(JSON.parse(Buffer.from(convertObject(enveloped, undefined, 'json')).toString()), map);
  });

  const failing: readonly (readonly [text: string, from: Format | undefined, to: Format, problem: RegExp])[] = [
    ['', undefined, 'json', /^yaml: /],
    ['{"kind":"Pod"}', undefined, 'json', /^the input has no apiVersion and kind$/],
    ['null', 'json', 'json', /^the input has no apiVersion and kind$/],
    ['[]', 'yaml', 'json', /^the input has no apiVersion and kind$/],
    ['{"a":', undefined, 'json', /^unexpected end of JSON input$/],
    ['{}', 'protobuf', 'json', /does not appear to be a protobuf message/],
    [`${magic}\n\x7f`, undefined, 'json', /./],
    [`${magic}\n\x0c\n\x02v1\x12\x06Ghosts`, undefined, 'json', /^no kind "Ghosts" is known in version "v1"$/],
    [
      '{"kind":"Ghost","apiVersion":"v1"}',
      undefined,
      'protobuf',
      /^kind "Ghost" of version "v1" has no protobuf form$/,
    ],
    ['{"kind":"ConfigMap","apiVersion":"v1","data":[]}', undefined, 'protobuf', /cannot unmarshal array/],
  ];
  for (const [text, from, to, problem] of failing)
    it(`reports the error in ${JSON.stringify(text)} as ${from ?? 'anything'}`, () =>
      assert.throws(() => convertObject(input(text), from, to), problem.source === '.' ? Error : { message: problem }));
});
