/** One thing that must be well for the server to serve. */
export interface HealthCheck {
  readonly name: string;
  /** Resolves when well, rejects with the reason. */
  check(): Promise<void> | void;
  /** Asked by `/readyz` alone: being unready is no reason to be restarted. */
  readonly readinessOnly?: boolean;
}

export interface HealthAnswer {
  readonly status: 200 | 404 | 500;
  readonly text: string;
}

/** Answers `/healthz`, `/livez` and `/readyz`, with `verbose`, `exclude` and one path per check. Reasons stay in the log, not in the answer. */
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private readonly onFailure: (name: string, error: unknown) => void;

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.onFailure = onFailure;
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  async answer(path: string, query: URLSearchParams): Promise<HealthAnswer | undefined> {
    const [, endpoint = '', name, ...rest] = path.replace(/\/$/, '').split('/');
    if (!['healthz', 'livez', 'readyz'].includes(endpoint) || rest.length > 0) return undefined;
    const checks = this.checks.filter((c) => endpoint === 'readyz' || c.readinessOnly !== true);
    if (name !== undefined) {
      const one = checks.find((c) => c.name === name);
      if (one === undefined) return { status: 404, text: '404 page not found\n' };
      return (await this.passes(one)) ? { status: 200, text: 'ok' } : { status: 500, text: 'internal server error: reason withheld\n' };
    }
    return this.all(endpoint, checks, query);
  }

  private async all(endpoint: string, checks: readonly HealthCheck[], query: URLSearchParams): Promise<HealthAnswer> {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    let failed = false;
    for (const check of checks) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
      } else if (await this.passes(check)) {
        lines.push(`[+]${check.name} ok`);
      } else {
        failed = true;
        lines.push(`[-]${check.name} failed: reason withheld`);
      }
    }
    if (excluded.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].map((e) => JSON.stringify(e)).join(', ')}`);
    if (failed) return { status: 500, text: `${lines.join('\n')}\n${endpoint} check failed\n` };
    return { status: 200, text: query.has('verbose') ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok' };
  }

  private async passes(check: HealthCheck): Promise<boolean> {
    try {
      await check.check();
      return true;
    } catch (error) {
      this.onFailure(check.name, error);
      return false;
    }
  }
}
