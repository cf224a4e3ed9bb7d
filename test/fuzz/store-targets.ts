import { allResources } from '../../pkg/api/all-resources.ts';
import { Scheme } from '../../pkg/api/scheme.ts';
import { decodeRange } from '../../pkg/registry/allocators/stored-range.ts';
import { StorageCodec } from '../../pkg/registry/storage-codec.ts';
import { decodeKmsMessage, encodeKmsMessage } from '../../pkg/storage/encryption/kms/kms-service.ts';
import { decodeRangeAnswer, decodeSwapAnswer } from '../../pkg/storage/etcd/messages.ts';
import { decodeWatchAnswer } from '../../pkg/storage/etcd/watch-messages.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const scheme = new Scheme(allResources);
const secrets = new StorageCodec(scheme, allResources.find((d) => d.resource === 'secrets')!);
const stored = secrets.encode({ kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a', namespace: 'b', labels: { c: 'd' }, creationTimestamp: null }, data: { e: 'Zg==' }, type: 'Opaque' } as never);
/** The store is not an attacker, but may be damaged: an answer cut short is an error of its reader. */
export const cutShort = (error: Error): boolean => error instanceof RangeError && /out of range|invalid length|exceeds the message|ends inside|outside buffer/.test(error.message);
// A RangeResponse and a WatchResponse of one key, as etcd writes them.
const range = Buffer.from('0a0708011002180528051215 0a0161100218052001 2a03616263'.replaceAll(' ', ''), 'hex');

/** What stores and key services answer. */
export const storeTargets: readonly FuzzTarget[] = [
  { name: 'stored objects', seeds: [stored, '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":"Yw=="}}'], run: (input) => [secrets.decode(input, 1), secrets.labels(input)], handles: cutShort },
  { name: 'stored ranges', seeds: ['k8s\0', stored], run: decodeRange, handles: cutShort },
  { name: 'answers of etcd', seeds: [range], run: (input) => [decodeRangeAnswer(input), decodeSwapAnswer(input)], handles: cutShort },
  { name: 'watch answers of etcd', seeds: [range], run: (input) => decodeWatchAnswer(input, 0), handles: cutShort },
  {
    name: 'answers of key services', seeds: [encodeKmsMessage('EncryptedObject', { encryptedData: Buffer.from('a'), keyId: 'b', encryptedDek: Buffer.from('c'), annotations: { d: Buffer.from('e') } })],
    run: (input) => decodeKmsMessage('EncryptedObject', input), handles: cutShort,
  },
];
