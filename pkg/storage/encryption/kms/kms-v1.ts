import { aesCbc } from '../aes-cbc.ts';
import { aesGcm } from '../aes-gcm.ts';
import type { KmsSettings } from '../provider-settings.ts';
import { ValueTransformError, type OpenedValue, type ValueTransformer } from '../value-transformer.ts';
import { DataKeyCache } from './data-key-cache.ts';
import type { DataKeyObserver } from './data-key-observer.ts';
import type { KmsProvider } from './kms-provider.ts';
import { KmsService } from './kms-service.ts';
import { newDataKey } from './new-data-key.ts';

const SERVICE = '/v1beta1.KeyManagementService';
const VERSION = 'v1beta1';
const LENGTH_BYTES = 2;

/**
 * Provider `kms` of version 1: a data key for every write, encrypted by the plugin. Stored: the encrypted key's length
 * in two bytes, the encrypted key, the value by AES-GCM; servers before release 1.25 wrote AES-CBC, which is read as
 * well.
 */
export function kmsV1(settings: KmsSettings, observer?: DataKeyObserver): KmsProvider {
  const service = new KmsService(settings);
  const cache = new DataKeyCache(settings.cacheSize, observer);
  return {
    name: settings.name,
    transformer: envelopes(service, cache, observer),
    async check() {
      const sealed = await sealKey(service, Buffer.from('ping'));
      if (Buffer.from(await openKey(service, sealed)).toString() !== 'ping')
        throw new Error(`the key service ${JSON.stringify(settings.name)} does not give back what it sealed`);
    },
    close: () => service.close(),
  };
}

function envelopes(service: KmsService, cache: DataKeyCache, observer: DataKeyObserver | undefined): ValueTransformer {
  return {
    open(stored, path) {
      const [sealed, data] = split(stored);
      const known = cache.get(sealed);
      if (known !== undefined) return openData(known, data, path);
      return openKey(service, sealed).then((key) => {
        const opened = openData(key, data, path);
        cache.set(sealed, key);
        return opened;
      });
    },
    async seal(value, path) {
      const key = newDataKey(observer);
      const sealed = await sealKey(service, key);
      cache.set(sealed, key);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(sealed.length);
      return Buffer.concat([length, sealed, await aesGcm(key).seal(value, path)]);
    },
  };
}

function split(stored: Uint8Array): readonly [sealed: Uint8Array, data: Uint8Array] {
  const length = stored.length < LENGTH_BYTES ? 0 : Buffer.from(stored.buffer, stored.byteOffset).readUInt16BE();
  if (length === 0 || stored.length < LENGTH_BYTES + length)
    throw new ValueTransformError('the stored value has no whole data key');
  return [stored.subarray(LENGTH_BYTES, LENGTH_BYTES + length), stored.subarray(LENGTH_BYTES + length)];
}

function openData(key: Uint8Array, data: Uint8Array, path: string): OpenedValue {
  try {
    return aesGcm(key).open(data, path) as OpenedValue;
  } catch {
    // Written by an older release in CBC: tried next, and its error is thrown when that fails too.
    const { value } = aesCbc(key).open(data, path) as OpenedValue;
    return { value, stale: true };
  }
}

async function sealKey(service: KmsService, key: Uint8Array): Promise<Uint8Array> {
  const { cipher } = await service.call<{ cipher: Uint8Array }>(
    `${SERVICE}/Encrypt`,
    'EncryptRequestV1',
    { version: VERSION, plain: key },
    'EncryptResponseV1',
  );
  if (cipher.length === 0 || cipher.length > 0xffff)
    throw new ValueTransformError('the key service sealed a data key into nothing, or into too much');
  return cipher;
}

async function openKey(service: KmsService, sealed: Uint8Array): Promise<Uint8Array> {
  return (
    await service.call<{ plain: Uint8Array }>(
      `${SERVICE}/Decrypt`,
      'DecryptRequestV1',
      { version: VERSION, cipher: sealed },
      'DecryptResponseV1',
    )
  ).plain;
}
