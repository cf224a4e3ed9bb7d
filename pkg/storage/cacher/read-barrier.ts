/**
 * Gives consistent reads their revision. A request may share a call to the store only if the call starts after the
 * request arrived; requests that arrive during a call wait together for the next one.
 */
export class ReadBarrier {
  private readonly currentRevision: () => Promise<number>;
  private running: Promise<number> | undefined;
  private next: Promise<number> | undefined;

  constructor(currentRevision: () => Promise<number>) {
    this.currentRevision = currentRevision;
  }

  /** A revision at or above every write acknowledged before the call. */
  revision(): Promise<number> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.next;
  }

  private start(): Promise<number> {
    this.next = undefined;
    const call = this.currentRevision();
    this.running = call;
    const done = (): void => {
      if (this.running === call) this.running = undefined;
    };
    call.then(done, done);
    return call;
  }
}
