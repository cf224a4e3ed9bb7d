import { HealthProblem, type HealthCheck } from '../server/health.ts';

/** What a start does before it serves, under the names that stock servers have for it, in their order. */
const startSteps = [
  'start-apiserver-admission-initializer', 'generic-apiserver-start-informers', 'start-system-namespaces-controller', 'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller', 'start-kube-apiserver-identity-lease-garbage-collector', 'storage-readiness', 'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers', 'rbac/bootstrap-roles', 'scheduling/bootstrap-system-priority-classes', 'bootstrap-controller', 'apiservice-registration-controller',
] as const;
export type StartStep = (typeof startSteps)[number];

/** How far a start has come, as health checks tell it: a server without its default roles is not ready. */
export class StartSteps {
  readonly checks: readonly HealthCheck[];
  private readonly finished = new Set<StartStep>();

  constructor() {
    this.checks = startSteps.map((step) => ({ name: `poststarthook/${step}`, check: () => this.assertFinished(step) }));
  }

  finish(...steps: readonly StartStep[]): void {
    for (const step of steps) this.finished.add(step);
  }

  private assertFinished(step: StartStep): void {
    if (!this.finished.has(step)) throw new HealthProblem('not finished');
  }
}
