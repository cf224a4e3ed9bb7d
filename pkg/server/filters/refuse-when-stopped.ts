import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import { isHealthPath } from '../system/health.ts';
import type { Filter } from '../request/request-context.ts';

const RETRY_AFTER_SECONDS = 1;

/** Refuses requests that come when the server has stopped to serve; health checks are still answered. */
export function refuseWhenStopped(stopped: () => boolean): Filter {
  return (next) => (context) => {
    if (stopped() && !isHealthPath(context.info.path))
      throw serviceUnavailable('apiserver is shutting down', RETRY_AFTER_SECONDS);
    return next(context);
  };
}
