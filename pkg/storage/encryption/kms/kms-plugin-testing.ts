import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { aesGcm } from '../aes-gcm.ts';
import type { OpenedValue } from '../value-transformer.ts';
import { decodeKmsMessage, encodeKmsMessage, type KmsMessage } from './kms-service.ts';

/** For tests: a key service on a socket, as an operator runs one beside a server. */
export interface KmsPlugin {
  readonly endpoint: string;
  /** Calls by method name. */
  readonly calls: string[];
  /** Makes calls fail, or leaves them without an answer. */
  mood: 'well' | 'failing' | 'silent';
  /** From now on encrypts with another key. */
  rotate(): void;
  stop(): Promise<void>;
}

type Body = Record<string, Buffer & string>;

export async function startKmsPlugin(
  versions: readonly ('v1beta1' | 'v2alpha1' | 'v2')[],
  socket?: string,
): Promise<KmsPlugin> {
  const dir = socket === undefined ? mkdtempSync(path.join(tmpdir(), 'binnacle-kms-')) : undefined;
  const file = socket ?? path.join(dir!, 'kms.sock');
  const keys = new Map<string, Buffer>();
  let current = '';
  const calls: string[] = [];
  const seal = async (plain: Uint8Array): Promise<Uint8Array> => aesGcm(keys.get(current)!).seal(plain, '');
  const open = (id: string, sealed: Uint8Array): Uint8Array =>
    (aesGcm(keys.get(id)!).open(sealed, '') as OpenedValue).value;
  const openAny = (sealed: Uint8Array): Uint8Array => {
    for (const id of keys.keys()) {
      try {
        return open(id, sealed);
      } catch {
        /* another key's */
      }
    }
    throw new Error('no key');
  };
  const plugin: KmsPlugin = {
    endpoint: `unix://${file}`,
    calls,
    mood: 'well',
    rotate() {
      current = `key-${keys.size + 1}`;
      keys.set(current, randomBytes(32));
    },
    async stop() {
      server.forceShutdown();
      if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
  plugin.rotate();
  const method = (
    service: string,
    name: string,
    request: KmsMessage,
    response: KmsMessage,
    answer: (body: Body) => Promise<object> | object,
  ) => ({
    definition: {
      path: `/${service}.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (v: object) => encodeKmsMessage(request, v),
      requestDeserialize: (b: Buffer) => decodeKmsMessage<Body>(request, b),
      responseSerialize: (v: object) => encodeKmsMessage(response, v),
      responseDeserialize: (b: Buffer) => decodeKmsMessage<object>(response, b),
    },
    async handle(call: ServerUnaryCall<Body, object>, done: sendUnaryData<object>) {
      calls.push(name);
      if (plugin.mood === 'silent') return;
      if (plugin.mood === 'failing') return done({ code: status.UNAVAILABLE, details: 'the vault is sealed' });
      try {
        done(null, await answer(call.request));
      } catch (error) {
        done({ code: status.INVALID_ARGUMENT, details: (error as Error).message });
      }
    },
  });
  const server = new Server();
  for (const version of versions) {
    const methods =
      version === 'v1beta1'
        ? [
            method(version, 'Version', 'VersionRequest', 'VersionResponse', () => ({
              version,
              runtimeName: 'test',
              runtimeVersion: '1',
            })),
            method(version, 'Encrypt', 'EncryptRequestV1', 'EncryptResponseV1', async ({ plain }) => ({
              cipher: await seal(plain!),
            })),
            method(version, 'Decrypt', 'DecryptRequestV1', 'DecryptResponseV1', ({ cipher }) => ({
              plain: openAny(cipher!),
            })),
          ]
        : [
            method(version, 'Status', 'StatusRequest', 'StatusResponse', () => ({
              version,
              healthz: 'ok',
              keyId: current,
            })),
            method(version, 'Encrypt', 'EncryptRequest', 'EncryptResponse', async ({ plaintext }) => ({
              ciphertext: await seal(plaintext!),
              keyId: current,
              annotations: { 'vault.example.com': Buffer.from('x') },
            })),
            method(version, 'Decrypt', 'DecryptRequest', 'DecryptResponse', ({ ciphertext, keyId }) => ({
              plaintext: open(keyId!, ciphertext!),
            })),
          ];
    server.addService(
      Object.fromEntries(methods.map((m) => [m.definition.path, m.definition])),
      Object.fromEntries(methods.map((m) => [m.definition.path, m.handle])),
    );
  }
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(plugin.endpoint, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    ),
  );
  return plugin;
}
