import type { MetricFamily, Sample } from './metric-family.ts';

interface CheckCounts {
  readonly page: string;
  readonly check: string;
  isWell: boolean;
  success: number;
  error: number;
}

/** Results of health checks, for service level objectives: a separate page, scraped more often than the rest. */
export class HealthSeries {
  private readonly counts = new Map<string, CheckCounts>();

  checked(page: string, check: string, isWell: boolean): void {
    const key = `${page}/${check}`;
    let counts = this.counts.get(key);
    if (counts === undefined) this.counts.set(key, (counts = { page, check, isWell, success: 0, error: 0 }));
    counts.isWell = isWell;
    counts[isWell ? 'success' : 'error']++;
  }

  families(): readonly MetricFamily[] {
    const all = (): CheckCounts[] => [...this.counts.values()];
    return [
      {
        name: 'kubernetes_healthcheck',
        type: 'gauge',
        help: 'What each health check found last: 1 is well, 0 is not.',
        samples: () =>
          all().map(({ page, check, isWell }): Sample => ({
            labels: { name: check, type: page },
            value: isWell ? 1 : 0,
          })),
      },
      {
        name: 'kubernetes_healthchecks_total',
        type: 'counter',
        help: 'Health checks that were run, by what they found.',
        samples: () =>
          all().flatMap(({ page, check, success, error }) =>
            (
              [
                ['error', error],
                ['success', success],
              ] as const
            )
              .filter(([, value]) => value > 0)
              .map(([status, value]): Sample => ({ labels: { name: check, status, type: page }, value })),
          ),
      },
    ];
  }
}
