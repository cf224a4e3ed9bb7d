/**
 * The etcd3 client as this store uses it: without its retries and circuit breakers, without limits on message sizes,
 * and with a deadline on every call that is no stream.
 */
import { Etcd3 } from 'etcd3';
import type { IOptions } from 'etcd3';
import type { TlsMaterial } from './dial-member.ts';

export interface Etcd3ClientOptions {
  readonly servers: readonly string[];
  readonly tls: TlsMaterial;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly timeoutMs: number;
}

type FaultPolicy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/**
 * Runs a call once. The default policies repeat writes whose result is unknown, and refuse calls for seconds after
 * failures.
 */
const runOnce = {
  execute: async (run: (context: { signal: AbortSignal }) => unknown) => run({ signal: new AbortController().signal }),
} as unknown as FaultPolicy;

export function createEtcd3Client(options: Etcd3ClientOptions): Etcd3 {
  const { ca, cert, key } = options.tls;
  const hasTls = ca !== undefined || cert !== undefined;
  return new Etcd3({
    hosts: [...options.servers],
    // Without a CA file the system's certificates are used, which grpc-js does for null; the type allows only files.
    ...(hasTls && { credentials: { rootCertificate: (ca ?? null) as Buffer, privateKey: key, certChain: cert } }),
    ...(options.auth && { auth: { ...options.auth } }),
    grpcOptions: {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
    defaultCallOptions: (context) => (context.isStream ? {} : { deadline: Date.now() + options.timeoutMs }),
    faultHandling: { global: runOnce, host: () => runOnce },
  });
}
