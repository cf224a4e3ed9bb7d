import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '../apimachinery/json/json.ts';
import { generatedMessages } from '../generated/kinds.ts';
import { normalize } from './normalize.ts';
import { decodeEnvelope } from './protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf/protobuf-codec.ts';
import { arbitraryObject } from './random-object-testing.ts';
import { schemaOf } from './schemas.ts';

/** Objects of every kind, through every form and back. */
describe('Codecs', () => {
  const kinds = generatedMessages.filter((m) => m.isKind && m.write !== undefined);

  it('know every kind of the API', () => {
    assert.ok(kinds.length > 300, String(kinds.length));
  });

  for (const message of kinds) {
    it(`bring ${message.message} through JSON and protobuf unchanged`, () => {
      const schema = schemaOf(message.message);
      fc.assert(
        fc.property(arbitraryObject(schema), (random) => {
          const object = normalize<object>(random, schema);
          assert.deepEqual(normalize<object>(parseJson(stringifyJson(object)), schema), object, 'through JSON text');
          const bytes = encodeProtobuf(message, 'g/v', message.kind, object);
          const decoded = decodeProtobuf<object>(message, decodeEnvelope(bytes).raw);
          assert.deepEqual(decoded, object, 'through protobuf');
          assert.deepEqual(normalize<object>(decoded, schema), object, 'normalized again');
          assert.equal(
            Buffer.compare(encodeProtobuf(message, 'g/v', message.kind, decoded), bytes),
            0,
            'encoded again',
          );
        }),
        { numRuns: 12 },
      );
    });
  }
});
