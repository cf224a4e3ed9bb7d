/** One controller: follows objects, and brings what it owns from what it is to what is wanted. */
export interface Controller {
  readonly name: string;
  /** Resolves when it works; rejects when it cannot, and may be called again then. */
  start(): Promise<void>;
  /** Resolves when everything that it saw so far has been processed once, with or without success. After the start. */
  settled(): Promise<void>;
  /** Ends what is in work; resolves when nothing runs any more. */
  stop(): Promise<void>;
  /** Whether it works: it has seen the objects that it follows. */
  healthy(): boolean;
}
