import type { AuditSink } from '../audit-backend.ts';

/** Events as lines of the process's standard output. */
export class StandardOutput implements AuditSink {
  private readonly stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream = process.stdout) {
    this.stream = stream;
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  hurry(): void {
    // Nothing here pauses.
  }

  async close(): Promise<void> {
    // The stream is shared with the rest of the process.
  }
}
