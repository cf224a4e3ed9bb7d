import type { AuthorizationAttributes } from '../authorization/authorizer.ts';
import type { AuditBackend } from './audit-backend.ts';
import type { AuditObserver } from './audit-observer.ts';
import { AuditedRequest, type RequestFacts, type RequestProgress } from './audited-request.ts';
import type { AuditEvent } from './event.ts';
import type { PolicyIndex } from './policy/policy-index.ts';
import { WallClock } from './wall-clock.ts';

export interface AuditorSettings {
  readonly policy: PolicyIndex;
  readonly backends: readonly AuditBackend[];
  /** Whether answers wait for their events. */
  readonly blocking: boolean;
  readonly observer: AuditObserver;
}

/** Decides which events of requests are recorded, and passes them to the backends. One per server. */
export class Auditor {
  readonly clock = new WallClock();
  private readonly settings: AuditorSettings;
  private readonly emit = (event: AuditEvent): Promise<boolean> | undefined => this.process(event);
  private readonly now = (): number => this.clock.now();

  constructor(settings: AuditorSettings) {
    this.settings = settings;
  }

  /** The audit record of a request; undefined where nothing is recorded. */
  begin(
    facts: RequestFacts,
    attributes: AuthorizationAttributes,
    progress: RequestProgress,
  ): AuditedRequest | undefined {
    const { policy, observer, blocking } = this.settings;
    const config = policy.configFor(attributes, !facts.unauthenticated);
    observer.levelDecided(config.level);
    return config.level === 'None'
      ? undefined
      : new AuditedRequest(facts, config, progress, { emit: this.emit, now: this.now, blocking });
  }

  /** The request was refused since its event could not be written. */
  rejected(): void {
    this.settings.observer.requestRejected();
  }

  /** Flushes the pending events, within a bound of time. */
  async close(): Promise<void> {
    await Promise.all(this.settings.backends.map((backend) => backend.close()));
  }

  private process(event: AuditEvent): Promise<boolean> | undefined {
    this.settings.observer.eventSent();
    let waiting: Promise<boolean>[] | undefined;
    for (const backend of this.settings.backends) {
      const stored = backend.process(event);
      if (stored !== undefined) (waiting ??= []).push(stored);
    }
    if (waiting === undefined) return undefined;
    return waiting.length === 1 ? waiting[0] : Promise.all(waiting).then((all) => all.every(Boolean));
  }
}
