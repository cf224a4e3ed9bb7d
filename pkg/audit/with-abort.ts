import { setMaxListeners } from 'node:events';

/**
 * The result of `work`; rejects as soon as the signal is aborted, and ignores the result of the work then. For work
 * that no signal ends, such as a write to a disk that hangs.
 */
export function withAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Where answers wait for their events, each write listens to it.
  setMaxListeners(0, signal);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error('the server stops'));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Ends when the signal is aborted; call it before that. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
