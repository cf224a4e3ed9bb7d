import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when the signal aborts; the returned function takes that back. One signal may end any number
 * of calls and waits: the runtime would take more than ten listeners for a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
