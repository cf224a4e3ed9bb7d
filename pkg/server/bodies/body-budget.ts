/** Bytes of bodies that may be in memory at a time. */
export interface BodyBudgetLimits {
  readonly processBytes: number;
  /** Of the requests of one connection together. */
  readonly connectionBytes: number;
}

/** Forty bodies of the largest size: a body takes several times its bytes again while its object is made. */
export const bodyBudgetLimits: BodyBudgetLimits = { processBytes: 128 * 1024 * 1024, connectionBytes: 32 * 1024 * 1024 };

/** Bytes that were taken. */
export class BodyShare {
  private readonly budget: BodyBudget;
  private readonly connection: object;
  private held: number;

  constructor(budget: BodyBudget, connection: object, bytes: number) {
    this.budget = budget;
    this.connection = connection;
    this.held = bytes;
  }

  /** Keeps `bytes` and gives back the rest. */
  keep(bytes: number): void {
    const surplus = this.held - bytes;
    if (surplus <= 0) return;
    this.held = bytes;
    this.budget.giveBack(this.connection, surplus);
  }
}

/** Waits for bytes. */
export class PendingShare {
  readonly connection: object;
  readonly bytes: number;
  /** Undefined where it was given up. */
  readonly granted: Promise<BodyShare | undefined>;
  private readonly budget: BodyBudget;
  private settle!: (share: BodyShare | undefined) => void;

  constructor(budget: BodyBudget, connection: object, bytes: number) {
    this.budget = budget;
    this.connection = connection;
    this.bytes = bytes;
    this.granted = new Promise((resolve) => { this.settle = resolve; });
  }

  grant(share: BodyShare): void {
    this.settle(share);
  }

  /** Has no effect on what was granted. */
  giveUp(): void {
    if (this.budget.forget(this)) this.settle(undefined);
  }
}

/**
 * Who may hold how much of requests' bodies. Whoever finds no room waits and is served in order of asking, but for connections that have no room of
 * their own: those hold up nobody else.
 */
export class BodyBudget {
  private readonly limits: BodyBudgetLimits;
  private readonly byConnection = new Map<object, number>();
  private readonly waiters = new Set<PendingShare>();
  private taken = 0;

  constructor(limits: BodyBudgetLimits = bodyBudgetLimits) {
    this.limits = limits;
  }

  get takenBytes(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.waiters.size;
  }

  /** `bytes` is at most what one connection may hold. */
  take(connection: object, bytes: number): BodyShare | PendingShare {
    if (this.waiters.size === 0 && this.hasRoom(bytes) && this.connectionHasRoom(connection, bytes)) return this.book(connection, bytes);
    const waiter = new PendingShare(this, connection, bytes);
    this.waiters.add(waiter);
    // Those before it may be waiting for their own connections.
    this.serve();
    return waiter;
  }

  /** Of a share alone. */
  giveBack(connection: object, bytes: number): void {
    this.taken -= bytes;
    const left = this.byConnection.get(connection)! - bytes;
    if (left === 0) this.byConnection.delete(connection);
    else this.byConnection.set(connection, left);
    this.serve();
  }

  /** Of a pending share alone; false where it waits no longer. */
  forget(waiter: PendingShare): boolean {
    const waited = this.waiters.delete(waiter);
    // Others may have waited behind it.
    if (waited) this.serve();
    return waited;
  }

  private serve(): void {
    for (const waiter of this.waiters) {
      const { connection, bytes } = waiter;
      if (!this.connectionHasRoom(connection, bytes)) continue;
      if (!this.hasRoom(bytes)) return;
      this.waiters.delete(waiter);
      waiter.grant(this.book(connection, bytes));
    }
  }

  private hasRoom(bytes: number): boolean {
    return this.taken + bytes <= this.limits.processBytes;
  }

  private connectionHasRoom(connection: object, bytes: number): boolean {
    return (this.byConnection.get(connection) ?? 0) + bytes <= this.limits.connectionBytes;
  }

  private book(connection: object, bytes: number): BodyShare {
    this.taken += bytes;
    this.byConnection.set(connection, (this.byConnection.get(connection) ?? 0) + bytes);
    return new BodyShare(this, connection, bytes);
  }
}
