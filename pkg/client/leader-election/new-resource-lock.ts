import type { Client } from '../rest/client.ts';
import { AnnotationLock } from './annotation-lock.ts';
import { DoubleLock } from './double-lock.ts';
import { LeaseLock } from './lease-lock.ts';
import type { LockName, ResourceLock } from './resource-lock.ts';

/** Values of `--leader-elect-resource-lock`. */
const makers = {
  leases: (client, name) => new LeaseLock(client, name),
  endpoints: (client, name) => new AnnotationLock(client, 'endpoints', name),
  configmaps: (client, name) => new AnnotationLock(client, 'configmaps', name),
  endpointsleases: (client, name) =>
    new DoubleLock(new AnnotationLock(client, 'endpoints', name), new LeaseLock(client, name)),
  configmapsleases: (client, name) =>
    new DoubleLock(new AnnotationLock(client, 'configmaps', name), new LeaseLock(client, name)),
} satisfies Record<string, (client: Client, name: LockName) => ResourceLock>;

export type LockKind = keyof typeof makers;

export const lockKinds = Object.keys(makers) as readonly LockKind[];

export function newResourceLock(kind: LockKind, client: Client, name: LockName): ResourceLock {
  return makers[kind](client, name);
}
