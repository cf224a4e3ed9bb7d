import { resourceExpired, type Status } from '../../apimachinery/errors/status-error.ts';
import type { WatchExpiredError } from '../../storage/cacher/watch-session.ts';

/** 410 as a watch reports it: the client clears its cache and lists again. */
export function expiredStatus(error: WatchExpiredError): Status {
  return resourceExpired(error.message).status;
}
