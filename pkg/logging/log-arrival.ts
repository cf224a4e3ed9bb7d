import type { EventEmitter } from 'node:events';

/** Whether log lines reach their destination: its reader may have stopped or gone, its disk may be full. */
export class LogArrival {
  private problem: Error | undefined;

  /**
   * `destination` emits `write` for written lines, `drop` for a line that found no room, and `error`; a listener for
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

  /** Throws while the last line was not written. */
  assert(): void {
    if (this.problem !== undefined) throw this.problem;
  }
}
