import {
  StatusError,
  badRequest,
  failureStatus,
  genericServerResponse,
  requestEntityTooLarge,
} from '../errors/status-error.ts';

/**
 * The error of a patch: `malformed`: it is no patch (400); `rejected`: it does not apply to this object (422);
 * `tooLarge`: it does more than the server allows (413); `inconsistent`: it contradicts the object's lists or types
 * (500, as a stock server answers).
 */
export type PatchErrorKind = 'malformed' | 'rejected' | 'tooLarge' | 'inconsistent';

/** A patch that cannot be applied. The message is Kubernetes' where clients get to see it. */
export class PatchError extends Error {
  readonly kind: PatchErrorKind;

  constructor(kind: PatchErrorKind, message: string) {
    super(message);
    this.name = 'PatchError';
    this.kind = kind;
  }

  /** The answer for the client. */
  toStatusError(): StatusError {
    switch (this.kind) {
      case 'malformed':
        return badRequest(this.message);
      case 'rejected':
        return genericServerResponse(422);
      case 'tooLarge':
        return requestEntityTooLarge(this.message);
      case 'inconsistent':
        return new StatusError(failureStatus(500, '', this.message));
    }
  }
}
