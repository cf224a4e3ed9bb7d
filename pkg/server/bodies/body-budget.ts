import { TransientMap } from '../../apimachinery/collections/transient-map.ts';

/** Bytes of bodies that may be in memory at a time. */
export interface BodyBudgetLimits {
  /** Of all; a user without any gets the first bytes up to twice as many. */
  readonly processBytes: number;
  /** Of the requests of one user, and of one connection. */
  readonly holderBytes: number;
}

/** Forty bodies of the largest size: a body takes several times its bytes again while its object is made. */
const bodyBudgetLimits: BodyBudgetLimits = { processBytes: 128 * 1024 * 1024, holderBytes: 32 * 1024 * 1024 };

/** The holder for whom bytes are counted. */
export interface BodyHolder {
  readonly user: string;
  readonly connection: object;
}

/** Bytes that were taken. */
export class BodyShare {
  private readonly budget: BodyBudget;
  private readonly holder: BodyHolder;
  private held: number;

  constructor(budget: BodyBudget, holder: BodyHolder, bytes: number) {
    this.budget = budget;
    this.holder = holder;
    this.held = bytes;
  }

  /** Keeps `bytes` and releases the rest. */
  keep(bytes: number): void {
    const surplus = this.held - bytes;
    if (surplus <= 0) return;
    this.held = bytes;
    this.budget.giveBack(this.holder, surplus);
  }
}

/** Waits for bytes. */
export class PendingShare {
  readonly holder: BodyHolder;
  readonly bytes: number;
  /** Undefined where it was given up. */
  readonly granted: Promise<BodyShare | undefined>;
  private readonly budget: BodyBudget;
  private settle!: (share: BodyShare | undefined) => void;

  constructor(budget: BodyBudget, holder: BodyHolder, bytes: number) {
    this.budget = budget;
    this.holder = holder;
    this.bytes = bytes;
    this.granted = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  grant(share: BodyShare): void {
    this.settle(share);
  }

  /** Has no effect on granted bytes. */
  giveUp(): void {
    if (this.budget.forget(this)) this.settle(undefined);
  }
}

/**
 * Bounds the memory of requests' bodies by holder. A request without room waits and is served in order, except for
 * users and connections that have reached their own limit: those delay no others. Bodies that are announced and do not
 * come take room, too: a user who has none is not kept out by those of others.
 */
export class BodyBudget {
  private readonly limits: BodyBudgetLimits;
  private readonly byUser = new TransientMap<number>();
  private readonly byConnection = new WeakMap<object, number>();
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

  /** `bytes` is at most what one holder may have. */
  take(holder: BodyHolder, bytes: number): BodyShare | PendingShare {
    if (this.waiters.size === 0 && this.hasRoom(holder, bytes)) return this.book(holder, bytes);
    const waiter = new PendingShare(this, holder, bytes);
    this.waiters.add(waiter);
    // Those before it may be waiting for their own limit.
    this.serve();
    return waiter;
  }

  /** Of a share alone. */
  giveBack(holder: BodyHolder, bytes: number): void {
    this.count(holder, -bytes);
    this.serve();
  }

  /** Of a pending share alone; false where it no longer waits. */
  forget(waiter: PendingShare): boolean {
    const waited = this.waiters.delete(waiter);
    // Others may have waited behind it.
    if (waited) this.serve();
    return waited;
  }

  private serve(): void {
    let isFull = false;
    for (const waiter of this.waiters) {
      const { holder, bytes } = waiter;
      if (!this.holderHasRoom(holder, bytes)) continue;
      // Behind the first one without room, only holders without any bytes continue.
      isFull ||= this.taken + bytes > this.limits.processBytes;
      if (isFull && !this.isOwed(holder, bytes)) continue;
      this.waiters.delete(waiter);
      waiter.grant(this.book(holder, bytes));
    }
  }

  private hasRoom(holder: BodyHolder, bytes: number): boolean {
    return (
      this.holderHasRoom(holder, bytes) &&
      (this.taken + bytes <= this.limits.processBytes || this.isOwed(holder, bytes))
    );
  }

  private isOwed({ user }: BodyHolder, bytes: number): boolean {
    return this.byUser.get(user) === undefined && this.taken + bytes <= 2 * this.limits.processBytes;
  }

  private holderHasRoom({ user, connection }: BodyHolder, bytes: number): boolean {
    const held = Math.max(this.byUser.get(user) ?? 0, this.byConnection.get(connection) ?? 0);
    return held + bytes <= this.limits.holderBytes;
  }

  private book(holder: BodyHolder, bytes: number): BodyShare {
    this.count(holder, bytes);
    return new BodyShare(this, holder, bytes);
  }

  private count({ user, connection }: BodyHolder, bytes: number): void {
    this.taken += bytes;
    this.byConnection.set(connection, (this.byConnection.get(connection) ?? 0) + bytes);
    const held = (this.byUser.get(user) ?? 0) + bytes;
    if (held === 0) this.byUser.delete(user);
    else this.byUser.set(user, held);
  }
}
