import { credentials, Client, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { steadyMs } from '../../../apimachinery/steady-clock.ts';
import { KeyServiceError } from '../value-transformer.ts';

/** Messages of the plugin services, by their published field numbers. */
const messages = {
  VersionRequest: { version: ['string', 1] },
  VersionResponse: { version: ['string', 1], runtimeName: ['string', 2], runtimeVersion: ['string', 3] },
  EncryptRequestV1: { version: ['string', 1], plain: ['bytes', 2] },
  EncryptResponseV1: { cipher: ['bytes', 1] },
  DecryptRequestV1: { version: ['string', 1], cipher: ['bytes', 2] },
  DecryptResponseV1: { plain: ['bytes', 1] },
  StatusRequest: {},
  StatusResponse: { version: ['string', 1], healthz: ['string', 2], keyId: ['string', 3] },
  EncryptRequest: { plaintext: ['bytes', 1], uid: ['string', 2] },
  EncryptResponse: { ciphertext: ['bytes', 1], keyId: ['string', 2], annotations: ['map', 3] },
  DecryptRequest: { ciphertext: ['bytes', 1], uid: ['string', 2], keyId: ['string', 3], annotations: ['map', 4] },
  DecryptResponse: { plaintext: ['bytes', 1] },
  EncryptedObject: {
    encryptedData: ['bytes', 1],
    keyId: ['string', 2],
    encryptedDek: ['bytes', 3],
    annotations: ['map', 4],
  },
} as const;

export type KmsMessage = keyof typeof messages;

const types = new Map(Object.entries(messages).map(([name, fields]) => [name, typeOf(name, fields)]));

function typeOf(name: string, fields: Readonly<Record<string, readonly [string, number]>>): protobuf.Type {
  const type = new protobuf.Type(name);
  for (const [field, [kind, number]] of Object.entries(fields)) {
    type.add(
      kind === 'map'
        ? new protobuf.MapField(field, number, 'string', 'bytes')
        : new protobuf.Field(field, number, kind),
    );
  }
  return type;
}

export function encodeKmsMessage(name: KmsMessage, value: object): Buffer {
  const type = types.get(name)!;
  return Buffer.from(type.encode(type.create(value)).finish());
}

/** Absent fields have their zero values. Throws on invalid messages. */
export function decodeKmsMessage<T>(name: KmsMessage, bytes: Uint8Array): T {
  const type = types.get(name)!;
  return type.toObject(type.decode(bytes), { defaults: true, bytes: Buffer }) as T;
}

const ANSWER_BYTES_MAX = 1024 * 1024;
/**
 * After a call without an answer others fail at once for this long, milliseconds: thousands of values would wait one
 * after the other.
 */
const SILENCE_MS = 1000;

/**
 * Calls of one plugin over its socket; each with a time limit. Failures are `KmsError`s that name the plugin and
 * nothing secret.
 */
export class KmsService {
  private readonly client: Client;
  private readonly name: string;
  private readonly timeoutMs: number;
  /** By the monotonic clock. */
  private silentUntilMs = 0;

  constructor(settings: { readonly name: string; readonly endpoint: string; readonly timeoutMs: number }) {
    this.name = settings.name;
    this.timeoutMs = settings.timeoutMs;
    this.client = new Client(settings.endpoint.replace(/^unix:\/\/\/?/, 'unix:///'), credentials.createInsecure(), {
      'grpc.max_receive_message_length': ANSWER_BYTES_MAX,
    });
  }

  /** `method`: `/v2.KeyManagementService/Encrypt`. */
  call<T>(method: string, request: KmsMessage, body: object, response: KmsMessage): Promise<T> {
    if (steadyMs() < this.silentUntilMs)
      return Promise.reject(this.failure(method, 'no answer a moment ago', status.DEADLINE_EXCEEDED));
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest<object, T>(
        method,
        (value) => encodeKmsMessage(request, value),
        (bytes) => decodeKmsMessage<T>(response, bytes),
        body,
        { deadline: Date.now() + this.timeoutMs },
        (error, answer) => {
          if (error === null && answer !== undefined) return resolve(answer);
          if (error?.code === status.DEADLINE_EXCEEDED) this.silentUntilMs = steadyMs() + SILENCE_MS;
          reject(this.failure(method, error?.details || error?.message || 'no answer', error?.code));
        },
      );
    });
  }

  private failure(method: string, reason: string, code: number | undefined): KmsError {
    const verb = method.slice(method.lastIndexOf('/') + 1).toLowerCase();
    return new KmsError(`the key service ${JSON.stringify(this.name)} failed to ${verb}: ${reason}`, code);
  }

  close(): void {
    this.client.close();
  }
}

/** A failed call; `code` is gRPC's. */
export class KmsError extends KeyServiceError {
  readonly code: number | undefined;
  constructor(message: string, code: number | undefined) {
    super(message);
    this.code = code;
  }
}
