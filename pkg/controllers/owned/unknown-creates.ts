import { pods } from '../../api/core/tokens.ts';
import { isRefusal } from '../../apimachinery/errors/status-error.ts';
import type { Client } from '../../client/rest/client.ts';
import { controllerOf } from '../../client/reconcile/owner-references.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

interface Unknown {
  readonly namespace: string;
  /** Those that all of the pods have. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Owners for which a create of a pod failed without an answer that says it was refused: a server that ends may have
 * stored the pod before. Its name was the server's choice, so that a second create would make a second pod. The owner's
 * pods are read from the server before its next reconcile counts them, as the informer may not show the pod yet.
 */
export class UnknownCreates {
  private readonly client: Pick<Client, 'list'>;
  private readonly byOwner = new Map<string, Unknown>();

  constructor(client: Pick<Client, 'list'>) {
    this.client = client;
  }

  /** A create for the owner failed. */
  failed(owner: string, { metadata }: Pod, error: unknown): void {
    if (isRefusal(error)) return;
    const { namespace = '', labels = {} } = metadata;
    const known = this.byOwner.get(owner)?.labels ?? labels;
    const common = Object.entries(known).filter(([key, value]) => labels[key] === value);
    this.byOwner.set(owner, { namespace, labels: Object.fromEntries(common) });
  }

  /** Gives the pods that the owner has, where they are in doubt. Rejects while the server does not say. */
  async find(owner: string, found: (pod: Pod) => void): Promise<void> {
    const unknown = this.byOwner.get(owner);
    if (unknown === undefined) return;
    const { namespace, labels } = unknown;
    const labelSelector = Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join();
    const { items } = await this.client.list(pods, { namespace, labelSelector });
    // A create that failed meanwhile is in doubt again.
    if (this.byOwner.get(owner) === unknown) this.byOwner.delete(owner);
    for (const pod of items) if (controllerOf(pod)?.uid === owner) found(pod);
  }

  forget(owner: string): void {
    this.byOwner.delete(owner);
  }
}
