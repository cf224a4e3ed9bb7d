import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { aesGcm } from '../aes-gcm.ts';
import type { KmsSettings } from '../provider-settings.ts';
import { ValueTransformError, type OpenedValue, type ValueTransformer } from '../value-transformer.ts';
import { DataKeyCache } from './data-key-cache.ts';
import type { DataKeyObserver } from './data-key-observer.ts';
import type { KmsProvider } from './kms-provider.ts';
import { decodeKmsMessage, encodeKmsMessage, KmsError, KmsService, type KmsMessage } from './kms-service.ts';
import { newDataKey } from './new-data-key.ts';

/** Newer plugins first; a plugin rejects versions that it does not know. */
const packages = ['v2', 'v2alpha1'] as const;

/** A stored value: `data` by AES-GCM under a key that the plugin encrypted with its key `keyId`. */
interface EncryptedObject {
  readonly encryptedData: Uint8Array;
  readonly keyId: string;
  readonly encryptedDek: Uint8Array;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
}

/**
 * Provider `kms` of version 2: envelopes in protobuf that name the plugin's key. After the plugin changed its key,
 * older values are stale.
 */
export function kmsV2(settings: KmsSettings, observer?: DataKeyObserver): KmsProvider {
  const plugin = new KmsV2Plugin(settings);
  return {
    name: settings.name,
    transformer: envelopes(plugin, new DataKeyCache(settings.cacheSize, observer), observer),
    check: () => plugin.check(),
    close: () => plugin.close(),
  };
}

class KmsV2Plugin {
  /** The plugin's present key, as its last answer named it. */
  keyId = '';
  private readonly service: KmsService;
  private readonly name: string;
  private known: (typeof packages)[number] | undefined;

  constructor(settings: KmsSettings) {
    this.service = new KmsService(settings);
    this.name = settings.name;
  }

  async check(): Promise<void> {
    const { healthz, keyId } = await this.call<{ healthz: string; keyId: string }>(
      'Status',
      'StatusRequest',
      {},
      'StatusResponse',
    );
    if (healthz !== 'ok')
      throw new Error(`the key service ${JSON.stringify(this.name)} says ${JSON.stringify(healthz)}`);
    if (keyId === '') throw new Error(`the key service ${JSON.stringify(this.name)} does not name its key`);
    this.keyId = keyId;
  }

  async seal(key: Uint8Array): Promise<Omit<EncryptedObject, 'encryptedData'>> {
    const answer = await this.call<{ ciphertext: Uint8Array; keyId: string; annotations: Record<string, Uint8Array> }>(
      'Encrypt',
      'EncryptRequest',
      { plaintext: key, uid: randomUUID() },
      'EncryptResponse',
    );
    if (answer.keyId === '' || answer.ciphertext.length === 0)
      throw new ValueTransformError('the key service sealed a data key without naming its key');
    this.keyId = answer.keyId;
    return { encryptedDek: answer.ciphertext, keyId: answer.keyId, annotations: answer.annotations };
  }

  async open({ encryptedDek, keyId, annotations }: EncryptedObject): Promise<Uint8Array> {
    const request = { ciphertext: encryptedDek, uid: randomUUID(), keyId, annotations };
    return (await this.call<{ plaintext: Uint8Array }>('Decrypt', 'DecryptRequest', request, 'DecryptResponse'))
      .plaintext;
  }

  private async call<T>(method: string, request: KmsMessage, body: object, response: KmsMessage): Promise<T> {
    for (const name of this.known === undefined ? packages : [this.known]) {
      try {
        const answer = await this.service.call<T>(`/${name}.KeyManagementService/${method}`, request, body, response);
        this.known = name;
        return answer;
      } catch (error) {
        if (!(error instanceof KmsError) || error.code !== status.UNIMPLEMENTED || name === packages.at(-1))
          throw error;
      }
    }
    throw new ValueTransformError('the key service speaks no known version');
  }

  close(): void {
    this.service.close();
  }
}

function envelopes(plugin: KmsV2Plugin, cache: DataKeyCache, observer: DataKeyObserver | undefined): ValueTransformer {
  return {
    open(stored, path) {
      const object = decodeObject(stored);
      const open = (key: Uint8Array): OpenedValue => {
        const { value } = aesGcm(key).open(object.encryptedData, path) as OpenedValue;
        return { value, stale: plugin.keyId !== '' && object.keyId !== plugin.keyId };
      };
      const known = cache.get(object.encryptedDek);
      if (known !== undefined) return open(known);
      return plugin.open(object).then((key) => {
        const opened = open(key);
        cache.set(object.encryptedDek, key);
        return opened;
      });
    },
    async seal(value, path) {
      const key = newDataKey(observer);
      const sealed = await plugin.seal(key);
      cache.set(sealed.encryptedDek, key);
      return encodeKmsMessage('EncryptedObject', { ...sealed, encryptedData: await aesGcm(key).seal(value, path) });
    },
  };
}

function decodeObject(stored: Uint8Array): EncryptedObject {
  try {
    return decodeKmsMessage<EncryptedObject>('EncryptedObject', stored);
  } catch {
    throw new ValueTransformError('the stored value is no envelope of a key service');
  }
}
