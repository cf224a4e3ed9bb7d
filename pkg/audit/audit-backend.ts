import type { AuditEvent } from './event.ts';

/** Accepts events; in front of each sink there is one, which decides when they are written. */
export interface AuditBackend {
  /**
   * Returns a promise where the request has to wait: true when the event is stored, or a failure is tolerated; false
   * when the request must be refused. Never rejects.
   */
  process(event: AuditEvent): Promise<boolean> | undefined;
  /** Flushes the pending events, within a bound of time; later events are dropped. */
  close(): Promise<void>;
}

/** Where events are stored, as bytes. */
export interface AuditSink {
  /**
   * Rejects when the bytes could not be written; the message is for the log. `signal` ends attempts and pauses;
   * afterwards nothing waits for the write.
   */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** No more long pauses between attempts: the server is stopping. */
  hurry(): void;
  /** May never resolve where a write does not. */
  close(): Promise<void>;
}
