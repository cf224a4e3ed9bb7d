import assert from 'node:assert/strict';
import { messageOf } from '../messages.ts';
import { decodeProtobuf, encodeMessage } from './protobuf-codec.ts';

const MESSAGE = messageOf('apps/v1.ControllerRevision');

interface Revision {
  readonly metadata: object;
  readonly data: unknown;
  readonly revision: number;
}

describe('the data of a controller revision', () => {
  /** What a Go program wrote, which takes a set for changed where it reads other bytes. */
  const written =
    '{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"10":"a","9":"b","note":"\\u2028"}},' +
    '"spec":{"containers":[{"args":["a \\u0026\\u0026 b \\u003e c"],"name":"main"}]}}}}';

  it('keeps its bytes when it is read and written', () => {
    const object: Revision = { metadata: { name: 'a' }, data: JSON.parse(written), revision: 1 };
    const bytes = encodeMessage(MESSAGE, object);
    assert.ok(Buffer.from(bytes).includes(written));
    assert.deepEqual(encodeMessage(MESSAGE, decodeProtobuf<Revision>(MESSAGE, bytes)), bytes);
  });
});
