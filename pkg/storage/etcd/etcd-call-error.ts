/** Status codes of gRPC that matter here (grpc.io, "Status codes and their use in gRPC"). */
export const grpcStatus = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Codes with which etcd refuses a request before it proposes it to the cluster. */
const refusals: ReadonlySet<number> = new Set([
  grpcStatus.invalidArgument, grpcStatus.notFound, grpcStatus.permissionDenied, grpcStatus.resourceExhausted,
  grpcStatus.failedPrecondition, grpcStatus.outOfRange, grpcStatus.unauthenticated,
]);

/** A call that etcd refused or did not answer. */
export class EtcdCallError extends Error {
  /** A gRPC status code. */
  readonly code: number;
  /** False when a write certainly did not and will not happen. */
  readonly mayHaveHappened: boolean;

  constructor(code: number, message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'EtcdCallError';
    this.code = code;
    this.mayHaveHappened = options.sent && !refusals.has(code);
  }

  /** True when another member, or the same one a little later, may answer. */
  get isTransient(): boolean {
    return !refusals.has(this.code);
  }
}
