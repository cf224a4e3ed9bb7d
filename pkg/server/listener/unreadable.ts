import { badRequest, type StatusError } from '../../apimachinery/errors/status-error.ts';

/** What a request is answered that cannot be read, or not in one way alone. */
export function unreadable(): StatusError {
  return badRequest('the request could not be read');
}
