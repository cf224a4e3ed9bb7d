import { badRequest, type StatusError } from '../../apimachinery/errors/status-error.ts';

/** The answer to a malformed or ambiguous request. */
export function unreadable(): StatusError {
  return badRequest('the request could not be read');
}
