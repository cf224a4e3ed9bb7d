import assert from 'node:assert/strict';
import protobuf from 'protobufjs';
import { failureStatus } from '../../apimachinery/errors/status-error.ts';
import { messageOf } from '../../codec/messages.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { cached, listBytes, resourceAt } from './cached-testing.ts';
import { protobufItem } from './object-form.ts';
import { partialProtobufItem, partialTarget } from './partial-metadata.ts';
import { ProtobufForm } from './protobuf-form.ts';

const target = resourceAt('v1', 'configmaps');
const form = new ProtobufForm(target, protobufItem(target));
const meta = (name: string) => ({ name, namespace: 'n', creationTimestamp: '2024-01-02T03:04:05Z' });
const map = (name: string, revision: number, value = 'x') =>
  cached(target, { metadata: meta(name), data: { a: value } }, revision);
const shown = (name: string, revision: number, value = 'x') => ({
  metadata: { name, namespace: 'n', resourceVersion: String(revision), creationTimestamp: '2024-01-02T03:04:05Z' },
  data: { a: value },
});

/** What a client's own reader finds in an envelope, without this server's decoder. */
const wire = protobuf.parse(`syntax = "proto2";
  message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
  message Unknown { optional TypeMeta typeMeta = 1; optional bytes raw = 2; optional string contentEncoding = 3; optional string contentType = 4; }
  message RawExtension { optional bytes raw = 1; }
  message WatchEvent { optional string type = 1; optional RawExtension object = 2; }
  message ListMeta { optional string selfLink = 1; optional string resourceVersion = 2; optional string continue = 3; optional int64 remainingItemCount = 4; }
  message List { optional ListMeta metadata = 1; repeated bytes items = 2; }`).root;

function unwrap(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  assert.deepEqual([...bytes.subarray(0, 4)], [0x6b, 0x38, 0x73, 0]);
  const unknown = wire.lookupType('Unknown').decode(bytes.subarray(4)) as unknown as {
    typeMeta: { apiVersion: string; kind: string };
    raw: Uint8Array;
    contentEncoding: string;
    contentType: string;
  };
  assert.deepEqual([unknown.contentEncoding, unknown.contentType], ['', '']);
  const own = decodeEnvelope(bytes);
  assert.deepEqual(
    [own.apiVersion, own.kind, Buffer.from(own.raw)],
    [unknown.typeMeta.apiVersion, unknown.typeMeta.kind, Buffer.from(unknown.raw)],
  );
  return { ...unknown.typeMeta, raw: unknown.raw };
}

function readFrames(bytes: Buffer): { type: string; object: Uint8Array }[] {
  const frames: { type: string; object: Uint8Array }[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const event = wire.lookupType('WatchEvent').decode(bytes.subarray(at + 4, end)) as unknown as {
      type: string;
      object: { raw: Uint8Array };
    };
    frames.push({ type: event.type, object: event.object.raw });
    at = end;
  }
  return frames;
}

describe('ProtobufForm', () => {
  it('wraps one object', () => {
    const { apiVersion, kind, raw } = unwrap(Buffer.concat(form.single(map('a', 7))));
    assert.deepEqual([apiVersion, kind, decodeProtobuf(target.message, raw)], ['v1', 'ConfigMap', shown('a', 7)]);
  });

  // Lengths around the steps of a varint.
  for (const lengths of [[], [1], [1, 90, 100, 127, 128, 129], [16_000, 16_383, 16_500], [3_000_000, 1]]) {
    it(`puts a list of values of ${JSON.stringify(lengths)} characters together`, () => {
      const objects = lengths.map((length, i) => map(`o${i}`, i + 1, 'x'.repeat(length)));
      const { apiVersion, kind, raw } = unwrap(
        listBytes(form, { resourceVersion: '99', continue: 'next', remainingItemCount: 5 }, objects),
      );
      assert.deepEqual([apiVersion, kind], ['v1', 'ConfigMapList']);
      const list = wire.lookupType('List').decode(raw).toJSON() as { metadata: object; items?: string[] };
      assert.deepEqual(list.metadata, {
        selfLink: '',
        resourceVersion: '99',
        continue: 'next',
        remainingItemCount: '5',
      });
      assert.deepEqual(
        (list.items ?? []).map((item) => decodeProtobuf(target.message, Buffer.from(item, 'base64'))),
        lengths.map((length, i) => shown(`o${i}`, i + 1, 'x'.repeat(length))),
      );
    });
  }

  it('is read by the codec of the list kind', () => {
    const list = decodeProtobuf<{ metadata: object; items: object[] }>(
      messageOf('core/v1.ConfigMapList'),
      unwrap(listBytes(form, { resourceVersion: '9' }, [map('a', 1), map('b', 2)])).raw,
    );
    assert.deepEqual([list.metadata, list.items], [{ resourceVersion: '9' }, [shown('a', 1), shown('b', 2)]]);
  });

  it('frames events behind their length', () => {
    const bytes = Buffer.concat([
      form.frame('ADDED', map('a', 1)),
      form.frame('MODIFIED', map('a', 2, 'y'.repeat(70_000))),
      form.frame('DELETED', map('a', 3)),
      form.bookmark(5, true),
      form.errorFrame(failureStatus(410, 'Expired', 'too old')),
    ]);
    const frames = readFrames(bytes);
    assert.deepEqual(
      frames.map((f) => f.type),
      ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'],
    );
    const objects = frames.map((f) => unwrap(f.object));
    assert.deepEqual(
      objects.map((o) => o.kind),
      ['ConfigMap', 'ConfigMap', 'ConfigMap', 'ConfigMap', 'Status'],
    );
    assert.deepEqual(decodeProtobuf(target.message, objects[1]!.raw), shown('a', 2, 'y'.repeat(70_000)));
    assert.deepEqual(decodeProtobuf(target.message, objects[3]!.raw), {
      metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const status = decodeProtobuf<{ code: number; reason: string }>(messageOf('meta/v1.Status'), objects[4]!.raw);
    assert.deepEqual([status.code, status.reason], [410, 'Expired']);
  });

  it('shows metadata alone', () => {
    const partial = partialTarget('v1');
    const metadataForm = new ProtobufForm(partial, partialProtobufItem(partial));
    const { apiVersion, kind, raw } = unwrap(Buffer.concat(metadataForm.single(map('a', 7))));
    assert.deepEqual(
      [apiVersion, kind, decodeProtobuf(partial.message, raw)],
      ['meta.k8s.io/v1', 'PartialObjectMetadata', { metadata: shown('a', 7).metadata }],
    );
    assert.equal(
      unwrap(listBytes(metadataForm, { resourceVersion: '1' }, [map('a', 7)])).kind,
      'PartialObjectMetadataList',
    );
  });
});
