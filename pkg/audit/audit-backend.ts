import type { AuditEvent } from './event.ts';

/** Takes events: in front of a sink there is always one of these, which decides when they are written. */
export interface AuditBackend {
  /**
   * Gives a promise where the request is to wait: true when the event is stored, or when it does not matter; false when
   * the request must not go on. Never rejects.
   */
  process(event: AuditEvent): Promise<boolean> | undefined;
  /** Brings out what is still held, within a bound of time; what comes later is dropped. */
  close(): Promise<void>;
}

/** Where events end up, as bytes. */
export interface AuditSink {
  /**
   * Rejects when the bytes could not be written; the message is for the log. `signal` ends attempts and pauses; nobody
   * waits for a write after it.
   */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** No more long pauses between attempts: everything ends soon. */
  hurry(): void;
  /** May never end where a write does not. */
  close(): Promise<void>;
}
