/**
 * How far a server is between its start and its end. The start and the stop sequence set it; filters and health checks
 * read it.
 */
export class ServingState {
  private gate: Promise<void> | undefined;
  private openGate!: () => void;
  private announcedAtMs: number | undefined;
  private refused = false;

  constructor() {
    this.gate = new Promise((resolve) => {
      this.openGate = resolve;
    });
  }

  /** Resolves when the server begins to serve; undefined from then on. */
  get opening(): Promise<void> | undefined {
    return this.gate;
  }

  /** Load balancers and clients are asked to use other servers. */
  get stopAnnounced(): boolean {
    return this.announcedAtMs !== undefined;
  }

  /** When the stop was announced, by the steady clock. */
  get announcedMs(): number | undefined {
    return this.announcedAtMs;
  }

  /** New requests are refused. */
  get refusing(): boolean {
    return this.refused;
  }

  /** Lets requests in that wait for the start to be over. */
  serve(): void {
    this.gate = undefined;
    this.openGate();
  }

  announceStop(nowMs: number): void {
    this.announcedAtMs ??= nowMs;
  }

  refuse(): void {
    this.refused = true;
  }
}
