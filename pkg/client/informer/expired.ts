import { StatusError } from '../../apimachinery/errors/status-error.ts';

/**
 * Whether the server no longer has, or does not have yet, the state that was asked for: 410, or the cause of a revision
 * from its future.
 */
export function isExpired(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  if (error.code === 410) return true;
  return error.status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}

/** Whether the same watch may go on later: the connection failed, or the server has no capacity at present. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
