import { HealthProblem, type HealthCheck } from '../server/system/health.ts';

/** What a start does before it serves, by the checks that stock servers have for it, in their order. */
const startSteps = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
] as const;
export type StartStep = (typeof startSteps)[number];

/** What sets up the limits of requests; a server has those of one kind. */
const limitSteps = {
  fairly: ['poststarthook/priority-and-fairness-config-consumer', 'poststarthook/priority-and-fairness-filter'],
  inFlight: ['poststarthook/max-in-flight-filter'],
} as const satisfies Record<string, readonly StartStep[]>;

/** How far a start has come, as health checks tell it: a server without its default roles is not ready. */
export class StartSteps {
  readonly checks: readonly HealthCheck[];
  private readonly finished = new Set<StartStep>();

  /** `fairly`: requests wait by priority and fairness, not by the limits of requests in flight alone. */
  constructor({ fairly }: { readonly fairly: boolean }) {
    const left: ReadonlySet<StartStep> = new Set(fairly ? limitSteps.inFlight : limitSteps.fairly);
    this.checks = startSteps
      .filter((step) => !left.has(step))
      .map((step) => ({ name: step, check: () => this.assertFinished(step) }));
  }

  finish(...steps: readonly StartStep[]): void {
    for (const step of steps) this.finished.add(step);
  }

  private assertFinished(step: StartStep): void {
    if (!this.finished.has(step)) throw new HealthProblem('not finished');
  }
}
