import { allResources } from '../../pkg/api/all-resources.ts';
import { Scheme } from '../../pkg/api/scheme.ts';
import { decodeRange } from '../../pkg/registry/allocators/stored-range.ts';
import { StorageCodec } from '../../pkg/registry/storage-codec.ts';
import { aesCbc } from '../../pkg/storage/encryption/aes-cbc.ts';
import { aesGcm } from '../../pkg/storage/encryption/aes-gcm.ts';
import { decodeKmsMessage, encodeKmsMessage } from '../../pkg/storage/encryption/kms/kms-service.ts';
import { secretbox } from '../../pkg/storage/encryption/secretbox.ts';
import { DamagedRecordError, encodeRecord, readRecord } from '../../pkg/storage/embedded/record.ts';
import { checkFrame, readSettings } from '../../pkg/storage/etcd/check-frame.ts';
import { encodeHeader, HeaderBlockReader } from '../../pkg/storage/etcd/header-block.ts';
import {
  contentOf,
  encodeFrame,
  encodeNumberFrame,
  encodeSettings,
  FrameReader,
} from '../../pkg/storage/etcd/http2-frames.ts';
import { decodeRangeAnswer, decodeSwapAnswer } from '../../pkg/storage/etcd/messages.ts';
import { decodeWatchAnswer } from '../../pkg/storage/etcd/watch-messages.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const scheme = new Scheme(allResources);
const secrets = new StorageCodec(
  scheme,
  allResources.find((d) => d.resource === 'secrets')!,
);
const stored = secrets.encode({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'b', labels: { c: 'd' } },
  data: { e: 'Zg==' },
  type: 'Opaque',
} as never);
/** The store is not an attacker, but may be damaged: an answer cut short is an error of its reader. */
export const cutShort = (error: Error): boolean =>
  error instanceof RangeError &&
  /out of range|invalid length|exceeds the message|without a revision|of one operation|ends inside|outside buffer/.test(
    error.message,
  );
/** Messages of etcd with one key, field by field. */
const message = (...fields: readonly string[]): Buffer => Buffer.from(fields.join(''), 'hex');
const header = '0a080801100218052001';
const keyValue = '0a0161100218032001 2a03616263'.replace(' ', '');
const range = `${header}120e${keyValue}2001`;

const key = Buffer.alloc(32, 1);

/** Values at rest, as a damaged or hostile store gives them back. */
const sealed = Object.entries({ aescbc: aesCbc(key), aesgcm: aesGcm(key), secretbox: secretbox(key) }).map(
  ([name, transformer]): FuzzTarget => ({
    name: `values sealed by ${name}`,
    seeds: [transformer.seal(stored, '/k') as Uint8Array],
    run: (input) => transformer.open(input, '/k'),
  }),
);

/** Frames as etcd sends them; what breaks the protocol is a RangeError, which ends the connection. */
const frames = Buffer.concat([
  encodeSettings([
    [3, 100],
    [4, 65_535],
  ]),
  encodeFrame(1, 4, 1, Buffer.concat([Buffer.from([0x20, 0x88]), encodeHeader('content-type', 'application/grpc')])),
  encodeFrame(0, 8, 1, Buffer.from([2, 0, 0, 0, 0, 1, 7, 0, 0])),
  encodeNumberFrame(8, 0, 1000),
  encodeFrame(6, 0, 0, Buffer.alloc(8)),
  encodeNumberFrame(3, 1, 8),
]);

function readFrames(input: Buffer): void {
  const [reader, blocks] = [new FrameReader(), new HeaderBlockReader()];
  for (const part of [input.subarray(0, input.length >> 1), input.subarray(input.length >> 1)]) {
    reader.push(part, (frame) => {
      checkFrame(frame, 3);
      if (frame.type === 4) readSettings(frame);
      else if (frame.type === 0) contentOf(frame);
      else if (frame.type === 1) blocks.read(contentOf(frame));
    });
  }
}

/** What stores and key services answer. */
export const storeTargets: readonly FuzzTarget[] = [
  {
    name: 'stored objects',
    seeds: [stored, '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":"Yw=="}}'],
    run: (input) => [secrets.decode(input, 1), secrets.labels(input)],
    handles: cutShort,
  },
  { name: 'stored ranges', seeds: ['k8s\0', stored], run: decodeRange, handles: cutShort },
  ...sealed,
  {
    name: 'records of the embedded store',
    seeds: [
      encodeRecord(7, Buffer.from('/k'), { deleted: false, createRevision: 1, previousRevision: 0, value: stored }),
    ],
    run: (input) => readRecord(7, input),
    handles: (error) => error instanceof DamagedRecordError,
  },
  {
    name: 'frames of etcd',
    seeds: [frames],
    run: readFrames,
    handles: (error) => error instanceof RangeError && !/call stack/.test(error.message),
  },
  { name: 'answers of etcd to reads', seeds: [message(range)], run: decodeRangeAnswer, handles: cutShort },
  {
    name: 'answers of etcd to writes',
    seeds: [message(header, '1001', '1a1e0a1c', range)],
    run: decodeSwapAnswer,
    handles: cutShort,
  },
  {
    name: 'watch answers of etcd',
    seeds: [message(header, '1001', '5a10120e', keyValue)],
    run: (input) => decodeWatchAnswer(input, 0),
    handles: cutShort,
  },
  {
    name: 'answers of key services',
    seeds: [
      encodeKmsMessage('EncryptedObject', {
        encryptedData: Buffer.from('a'),
        keyId: 'b',
        encryptedDek: Buffer.from('c'),
        annotations: { d: Buffer.from('e') },
      }),
    ],
    run: (input) => decodeKmsMessage('EncryptedObject', input),
    handles: cutShort,
  },
];
