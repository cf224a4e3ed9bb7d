/** One thing that must be well for the server to serve. */
export interface HealthCheck {
  /** May have slashes: `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Resolves when healthy, rejects with the reason. */
  check(): Promise<void> | void;
  /** Default: all. What a restart does not repair has no place in `/livez`. */
  readonly pages?: readonly HealthPage[];
}

export type HealthPage = 'healthz' | 'livez' | 'readyz';

/** Called with the result of each check of a page: `healthz`, `livez` or `readyz`. */
export type HealthObserver = (page: string, check: string, isWell: boolean) => void;

export interface HealthAnswer {
  readonly status: 200 | 404 | 500;
  readonly text: string;
}

/**
 * An expected state, such as that of a start: a request for one check by its path gets the reason, and the log does
 * not. All other reasons are for the log alone.
 */
export class HealthProblem extends Error {}

const healthPath = /^\/(healthz|livez|readyz)(?:\/(.+))?$/;

/** Whether a path is a health page's, or of one of its checks. */
export function isHealthPath(path: string): boolean {
  return healthPath.test(path);
}

/** Answers `/healthz`, `/livez` and `/readyz`, with `verbose`, `exclude` and one path per check. */
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private readonly onFailure: (name: string, error: unknown) => void;
  private readonly observe: HealthObserver;

  constructor(onFailure: (name: string, error: unknown) => void, observe: HealthObserver = () => undefined) {
    this.onFailure = onFailure;
    this.observe = observe;
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** The pages, and one path for each of their checks. */
  get paths(): readonly string[] {
    return (['healthz', 'livez', 'readyz'] as const).flatMap((page) => [
      `/${page}`,
      ...this.checksOf(page).map(({ name }) => `/${page}/${name}`),
    ]);
  }

  async answer(path: string, query: URLSearchParams): Promise<HealthAnswer | undefined> {
    const [, endpoint, name] = healthPath.exec(path) ?? [];
    if (endpoint === undefined) return undefined;
    const checks = this.checksOf(endpoint);
    if (name !== undefined) return this.one(checks.find((c) => c.name === name));
    return this.all(endpoint, checks, query);
  }

  private checksOf(page: string): readonly HealthCheck[] {
    return this.checks.filter(({ pages }) => pages === undefined || pages.some((one) => one === page));
  }

  private async one(check: HealthCheck | undefined): Promise<HealthAnswer> {
    if (check === undefined) return { status: 404, text: '404 page not found\n' };
    const problem = await this.problemOf(check);
    if (problem === undefined) return { status: 200, text: 'ok' };
    return {
      status: 500,
      text: `internal server error: ${problem instanceof HealthProblem ? problem.message : 'reason withheld'}\n`,
    };
  }

  private async all(endpoint: string, checks: readonly HealthCheck[], query: URLSearchParams): Promise<HealthAnswer> {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    let failed = false;
    for (const check of checks) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const isWell = (await this.problemOf(check)) === undefined;
      this.observe(endpoint, check.name, isWell);
      failed ||= !isWell;
      lines.push(isWell ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
    }
    if (excluded.size > 0)
      lines.push(
        `warn: some health checks cannot be excluded: no matches for ${[...excluded]
          .sort()
          .map((e) => JSON.stringify(e))
          .join(',')}`,
      );
    if (failed) return { status: 500, text: `${lines.join('\n')}\n${endpoint} check failed\n` };
    return { status: 200, text: query.has('verbose') ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok' };
  }

  /** Undefined where all is well. */
  private async problemOf(check: HealthCheck): Promise<Error | undefined> {
    try {
      await check.check();
      return undefined;
    } catch (error) {
      if (!(error instanceof HealthProblem)) this.onFailure(check.name, error);
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
