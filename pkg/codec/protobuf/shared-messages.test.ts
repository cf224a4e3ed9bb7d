import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../generated/types/core-v1.ts';
import { messageOfKind } from '../messages.ts';
import { decodeEnvelope } from './envelope.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf-codec.ts';
import { SharedMessages } from './shared-messages.ts';
import { readerOf } from './sharing-reader.ts';

const message = messageOfKind('v1', 'Pod')!;

function pod(name: string, toleration = 'a', tolerationSeconds = 300): Pod {
  const tolerations = [{ key: toleration, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
  const condition = { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' };
  return {
    metadata: { name, uid: name },
    spec: { containers: [{ name, image: 'app:1', resources: {}, securityContext: {} }], tolerations },
    status: { conditions: [condition] },
  } as unknown as Pod;
}

describe('SharedMessages', () => {
  let messages: SharedMessages;
  beforeEach(() => (messages = new SharedMessages()));
  const decode = (object: Pod, shared?: SharedMessages): Pod =>
    decodeProtobuf(message, decodeEnvelope(encodeProtobuf(message, 'v1', 'Pod', object)).raw, 'v1', 'Pod', shared);

  it('gives equal parts of objects once, frozen', () => {
    const [one, other] = [decode(pod('one'), messages), decode(pod('other'), messages)];
    assert.equal(one.spec.tolerations![0], other.spec.tolerations![0]);
    assert.equal(one.status.conditions![0], other.status.conditions![0]);
    assert.throws(() => (one.spec.tolerations![0]!.key = 'mine'), TypeError);
    assert.notEqual(one.spec.containers![0], other.spec.containers![0]);
    assert.equal(one.spec.containers![0]!.resources, other.spec.containers![0]!.resources);
    // Both are empty, and of two types.
    assert.notEqual(one.spec.containers![0]!.resources, one.spec.containers![0]!.securityContext);
  });

  it('shares nothing, and freezes nothing, where it is not asked for', () => {
    const [one, other] = [decode(pod('one')), decode(pod('other'))];
    assert.notEqual(one.spec.tolerations![0], other.spec.tolerations![0]);
    assert.equal(Object.isFrozen(one.spec.tolerations![0]), false);
  });

  it('decodes any objects as without it, after any others', () => {
    // More different values than there are slots, so that each is taken again and again, some beyond the bound.
    const text = fc.oneof(fc.string({ maxLength: 2 }), fc.string({ minLength: 240, maxLength: 300 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat()), { minLength: 20, maxLength: 40 }), (values) => {
        for (const [key, seconds] of [...values, ...values])
          assert.deepEqual(decode(pod('p', key, seconds), messages), decode(pod('p', key, seconds)));
      }),
      { numRuns: 100 },
    );
  });

  it('compares bytes: what has the same hash is another object', () => {
    // By 31 for each byte, "Aa" and "BB" have one hash.
    const [one, other] = [decode(pod('p', 'Aa'), messages), decode(pod('p', 'BB'), messages)];
    assert.deepEqual(
      [one, other].map(({ spec }) => spec.tolerations![0]!.key),
      ['Aa', 'BB'],
    );
  });

  it('does not take what ends beyond its bytes, and keeps no part of them', () => {
    const read = (bytes: Buffer): { text: string } => {
      const r = readerOf(bytes, messages);
      return messages.read(r, r.len, (at) => ({ text: at.string() }), 1);
    };
    const bytes = Buffer.from([3, 97, 98, 99]);
    const first = read(bytes);
    bytes[1] = 98;
    assert.deepEqual(
      [first, read(bytes), read(Buffer.from([3, 97, 98, 99]))],
      [{ text: 'abc' }, { text: 'bbc' }, { text: 'abc' }],
    );
    const broken = Buffer.concat([encodeProtobuf(message, 'v1', 'Pod', pod('p')).subarray(0, -1)]);
    assert.throws(() => decodeProtobuf(message, decodeEnvelope(broken).raw, 'v1', 'Pod', messages));
  });
});
