import { badRequest, StatusError } from '../../apimachinery/status-error.ts';
import { DecodeError } from '../../codec/normalize.ts';
import { toStatusError } from '../../registry/store-errors-to-status.ts';
import { respondError } from '../respond.ts';
import type { Filter } from '../request-context.ts';

/** Turns whatever the rest of the chain throws into an answer. What is no Status error, nor a store's, is told to `onError` and answered as 500. */
export function recover(onError: (error: unknown, path: string) => void): Filter {
  return (next) => async (context) => {
    try {
      await next(context);
    } catch (thrown) {
      const { info } = context;
      const error = thrown instanceof DecodeError ? badRequest(thrown.message) : toStatusError(thrown, { group: info.group, resource: info.resource }, info.verb);
      if (!(error instanceof StatusError)) onError(error, info.path);
      respondError(context, error);
    }
  };
}
