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
  grpcStatus.invalidArgument,
  grpcStatus.notFound,
  grpcStatus.permissionDenied,
  grpcStatus.resourceExhausted,
  grpcStatus.failedPrecondition,
  grpcStatus.outOfRange,
  grpcStatus.unauthenticated,
]);

/** etcd's gRPC proxy passes on the texts of refusals, and UNKNOWN instead of their codes. */
const codeByText: ReadonlyMap<string, number> = new Map([
  ['etcdserver: mvcc: required revision has been compacted', grpcStatus.outOfRange],
  ['etcdserver: mvcc: required revision is a future revision', grpcStatus.outOfRange],
  ['etcdserver: mvcc: database space exceeded', grpcStatus.resourceExhausted],
  ['etcdserver: requested lease not found', grpcStatus.notFound],
  ['etcdserver: request is too large', grpcStatus.invalidArgument],
  ['etcdserver: too many requests', grpcStatus.resourceExhausted],
  ['etcdserver: permission denied', grpcStatus.permissionDenied],
  ['etcdserver: invalid auth token', grpcStatus.unauthenticated],
]);

/** A call that etcd refused or did not answer. */
export class EtcdCallError extends Error {
  /** A gRPC status code. */
  readonly code: number;
  /** False when a write certainly did not and will not happen. */
  readonly mayHaveHappened: boolean;
  /** True when the server sent something that this client does not understand: another client may. */
  readonly notUnderstood: boolean;

  constructor(
    code: number,
    message: string,
    options: { sent: boolean; cause?: unknown; notUnderstood?: boolean | undefined },
  ) {
    super(message, { cause: options.cause });
    this.name = 'EtcdCallError';
    this.code = code === grpcStatus.unknown ? (codeByText.get(message) ?? code) : code;
    this.mayHaveHappened = options.sent && !refusals.has(this.code);
    this.notUnderstood = options.notUnderstood === true;
  }

  /** True when another member, or the same one a little later, may answer. */
  get isTransient(): boolean {
    return !refusals.has(this.code);
  }
}
