import { StatusError } from '../apimachinery/errors/status-error.ts';
import type { Logger } from '../logging/logger.ts';
import type { Network } from '../server/connections/network.ts';

/** What a control plane gets from the program around it; not what a user configures. */
export interface Environment {
  readonly logger: Logger;
  /** Module that worker threads run. */
  readonly workerFile: string;
  /** Also called with unexpected errors; for tests. */
  readonly onError?: ((error: unknown, where: string) => void) | undefined;
  /** How nodes and pods are reached; for tests. Default: the network of this machine. */
  readonly network?: Network | undefined;
}

/** Called with errors outside of requests; `where` names the part. */
export type ErrorReport = (error: unknown, where: string) => void;

/** Errors go to the log, and to the environment's `onError`. */
export function errorReport({ logger, onError }: Environment): ErrorReport {
  return (error, where) => {
    logError(logger, error, where);
    onError?.(error, where);
  };
}

/** A call that the API server rejects, as for a full quota, is no defect of the program: it needs no stack. */
export function logError(logger: Logger, error: unknown, where: string): void {
  if (error instanceof StatusError && error.code < 500) {
    const { code, reason, message } = error;
    logger.warn('request rejected', { where, code, reason, error: message });
  } else logger.error('unexpected error', { where, error });
}
