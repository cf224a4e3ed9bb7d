import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import { isHealthPath } from '../system/health.ts';
import type { Filter } from '../request/request-context.ts';
import type { ServingState } from '../serving-state.ts';

const RETRY_AFTER_SECONDS = 1;

/** Refuses requests after the server has stopped serving; health checks are still answered. */
export function refuseWhenStopped(state: Pick<ServingState, 'refusing'>): Filter {
  return (next) => (context) => {
    if (state.refusing && !isHealthPath(context.info.path))
      throw serviceUnavailable('apiserver is shutting down', RETRY_AFTER_SECONDS);
    return next(context);
  };
}
