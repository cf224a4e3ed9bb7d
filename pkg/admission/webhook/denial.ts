import { goQuote } from '../../apimachinery/values/go-format.ts';
import { badRequest, failureStatus, StatusError, type StatusDetails } from '../../apimachinery/errors/status-error.ts';
import type { Status } from '../../generated/types/meta-v1.ts';

/** A webhook's no, in the code and reason that it chose; never a success. */
export function denial(webhook: string, said: Status | undefined): StatusError {
  const { message = '', reason = '', details } = said ?? {};
  const deniedBy = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = message || reason;
  const code = Number(said?.code ?? 0);
  const text = why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`;
  return new StatusError(
    failureStatus(code >= 400 && code <= 599 ? code : 400, reason, text, details as StatusDetails | undefined),
  );
}

export function dryRunRefused(webhook: string): StatusError {
  return badRequest(`admission webhook ${goQuote(webhook)} does not support dry run`);
}
