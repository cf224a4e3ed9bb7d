import type { EventEmitter } from 'node:events';

/** Whether lines get to where the log goes: its reader may have stopped or gone, its disk may be full. */
export class LogArrival {
  private problem: Error | undefined;

  /**
   * `destination` emits `write` for what has arrived, `drop` for a line that found no room, and `error`; a listener for
   * the last keeps the process alive.
   */
  follow(destination: EventEmitter): void {
    destination.on('write', () => (this.problem = undefined));
    destination.on('drop', () => (this.problem = new Error('lines of the log are dropped: nobody reads it')));
    destination.on(
      'error',
      (error: Error) => (this.problem = new Error(`the log cannot be written: ${error.message}`)),
    );
  }

  /** Throws while the last that was to be written has not arrived. */
  assert(): void {
    if (this.problem !== undefined) throw this.problem;
  }
}
