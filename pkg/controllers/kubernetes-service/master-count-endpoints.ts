import type { EndpointReconciler, ServingAddress } from './endpoint-reconciler.ts';
import { KubernetesEndpoints, type EndpointObjects } from './kubernetes-endpoints.ts';

/**
 * Type `master-count`: the endpoints are the servers that put themselves there, at most as many as there are said to
 * be. A server that died stays until another takes its place.
 */
export class MasterCountEndpoints implements EndpointReconciler {
  private readonly endpoints = new KubernetesEndpoints();
  private readonly count: number;

  /** `count`: `--apiserver-count`. */
  constructor(count: number) {
    this.count = count;
  }

  async reconcile({ ip, port }: ServingAddress, objects: EndpointObjects): Promise<void> {
    await this.endpoints.write(objects, port, (present) => keepAtMost(present, ip, this.count));
  }

  async remove({ ip, port }: ServingAddress, objects: EndpointObjects): Promise<void> {
    await this.endpoints.write(objects, port, (present) => present.filter((other) => other !== ip));
  }
}

/** `own` and the others; of too many those go that follow it in order, so that servers do not all drop the same one. */
export function keepAtMost(present: readonly string[], own: string, count: number): string[] {
  const kept = [...new Set([...present, own])].sort();
  while (kept.length > count) kept.splice((kept.indexOf(own) + 1) % kept.length, 1);
  return kept;
}
