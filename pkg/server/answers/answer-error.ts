import { badRequest, StatusError } from '../../apimachinery/errors/status-error.ts';
import { DecodeError } from '../../codec/normalize.ts';
import { toStatusError } from '../../registry/store-errors-to-status.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondError } from './respond.ts';

/** The Status for an error; anything but a StatusError is a failure of the server. */
export function toAnswer({ info }: RequestContext, thrown: unknown): unknown {
  return thrown instanceof DecodeError
    ? badRequest(thrown.message)
    : toStatusError(thrown, { group: info.group, resource: info.resource }, info.verb);
}

/** Answers with an error. Failures of the server are reported to `onError` and answered as 500. */
export function answerError(
  context: RequestContext,
  error: unknown,
  onError: (error: unknown, path: string) => void,
): void {
  if (!(error instanceof StatusError)) onError(error, context.info.path);
  respondError(context, error);
}
