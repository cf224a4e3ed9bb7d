import type { LeaderElectionMetrics } from '../../client/leader-election/leader-election-metrics.ts';
import type { MetricFamily } from './metric-family.ts';

/** Which of the process's components lead. */
export class LeaderElectionSeries implements LeaderElectionMetrics {
  private readonly byName = new Map<string, boolean>();

  leading(name: string, isLeading: boolean): void {
    this.byName.set(name, isLeading);
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'leader_election_master_status',
        type: 'gauge',
        help: '1 for each component that leads, 0 for each that waits for its turn.',
        samples: () => [...this.byName].map(([name, isLeading]) => ({ labels: { name }, value: isLeading ? 1 : 0 })),
      },
    ];
  }
}
