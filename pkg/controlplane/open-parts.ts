/**
 * What a start has opened so far, to be closed in reverse order: when the server stops, or when a later step of the
 * start fails.
 */
export class OpenParts {
  private readonly closers: (() => unknown)[] = [];

  /** `close` may be asynchronous. */
  add(close: () => unknown): void {
    this.closers.push(close);
  }

  /** What is being opened is closed once it is there, also when something else fails meanwhile. */
  addOpening<T>(opening: Promise<T>, close: (part: T) => unknown): Promise<T> {
    this.add(() => opening.then(close, () => undefined));
    return opening;
  }

  /** Closes everything, also what comes after a failure; resolves with the failures. */
  async close(): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (const close of this.closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}
