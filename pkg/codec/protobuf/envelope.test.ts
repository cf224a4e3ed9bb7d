import assert from 'node:assert/strict';
import { decodeEnvelope, encodeEnvelope, hasMagic } from './envelope.ts';

const bytes = encodeEnvelope('apps/v1', 'Deployment', (w) => void w.uint32(10).string('payload'));

describe('envelopes', () => {
  it('are magic, type, content and two empty texts', () => {
    assert.equal(
      Buffer.from(bytes).toString('latin1'),
      'k8s\0\n\x15\n\x07apps/v1\x12\nDeployment\x12\t\n\x07payload\x1a\0"\0',
    );
    const { raw, ...rest } = decodeEnvelope(bytes);
    assert.deepEqual(
      [Buffer.from(raw).toString('latin1'), rest],
      ['\n\x07payload', { apiVersion: 'apps/v1', kind: 'Deployment', contentEncoding: '', contentType: '' }],
    );
  });

  it('are read in place, not copied', () => assert.equal(decodeEnvelope(bytes).raw.buffer, bytes.buffer));

  it('may lack parts and have others, in any order', () => {
    const magic = bytes.subarray(0, 4);
    const empty = decodeEnvelope(magic);
    assert.deepEqual(
      { ...empty, raw: empty.raw.length },
      { apiVersion: '', kind: '', raw: 0, contentEncoding: '', contentType: '' },
    );
    const mixed = Buffer.concat([
      magic,
      Buffer.from('\x22\x10application/json\x38\x05\x12\x02{}\n\x0e\x1a\x01?\x12\x09ConfigMap', 'latin1'),
    ]);
    const { raw, ...rest } = decodeEnvelope(mixed);
    assert.deepEqual(
      [Buffer.from(raw).toString(), rest],
      ['{}', { apiVersion: '', kind: 'ConfigMap', contentEncoding: '', contentType: 'application/json' }],
    );
  });

  it('are recognized by the magic alone', () => {
    for (const [text, found] of [
      ['k8s\0', true],
      ['k8s\0x', true],
      ['k8s', false],
      ['', false],
      ['{"a"', false],
      ['k8s1', false],
    ] as const) {
      assert.equal(hasMagic(Buffer.from(text)), found, text);
      if (!found)
        assert.throws(() => decodeEnvelope(Buffer.from(text)), {
          message: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
        });
    }
  });

  it('that are truncated or have wrong lengths are refused with plain errors', () => {
    for (const tail of [
      '\n\x7f',
      '\x12\xff\xff\xff\xff\x0f',
      '\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01',
      '\n',
      '\x12',
      '\x0b',
      '\x0f',
      '\x1a\x05ab',
    ]) {
      assert.throws(
        () => decodeEnvelope(Buffer.concat([bytes.subarray(0, 4), Buffer.from(tail, 'latin1')])),
        Error,
        JSON.stringify(tail),
      );
    }
  });
});
