/** Where electors make themselves known, by the name of the component that is elected. */
export interface LeaderElectionMetrics {
  leading(name: string, isLeading: boolean): void;
}

export const withoutLeaderElectionMetrics: LeaderElectionMetrics = { leading: () => undefined };
