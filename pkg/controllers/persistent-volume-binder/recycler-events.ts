import { events } from '../../api/core/tokens.ts';
import type { Client } from '../../client/rest/client.ts';
import type { PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import { normal, warning, type BinderSteps } from './binder-steps.ts';

/** Repeats what is said of recycler pods on their volumes: the pods are soon gone, and are in another namespace. */
export class RecyclerEvents {
  private readonly client: Client;
  private readonly event: BinderSteps['event'];
  private readonly onError: (error: unknown) => void;
  /** By uid of the pod. */
  private readonly watches = new Map<string, { readonly end: AbortController; readonly done: Promise<void> }>();

  constructor(client: Client, event: BinderSteps['event'], onError: (error: unknown) => void) {
    this.client = client;
    this.event = event;
    this.onError = onError;
  }

  follow(volume: PersistentVolume, pod: Pod): void {
    const uid = pod.metadata.uid!;
    if (this.watches.has(uid)) return;
    const end = new AbortController();
    const done = this.repeat(volume, pod, end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) this.onError(error);
    });
    this.watches.set(uid, { end, done });
  }

  /** The pod is gone. */
  forget(uid: string): void {
    this.watches.get(uid)?.end.abort();
    this.watches.delete(uid);
  }

  async stop(): Promise<void> {
    const watches = [...this.watches.values()];
    this.watches.clear();
    for (const { end } of watches) end.abort();
    await Promise.all(watches.map(({ done }) => done));
  }

  private async repeat(volume: PersistentVolume, { metadata }: Pod, signal: AbortSignal): Promise<void> {
    const fieldSelector = `involvedObject.uid=${metadata.uid}`;
    for await (const seen of this.client.watch(events, { namespace: metadata.namespace!, fieldSelector, signal })) {
      if (seen.type !== 'ADDED') continue;
      const { type, message = '' } = seen.object;
      this.event(volume, (type === 'Warning' ? warning : normal)('RecyclerPod', `Recycler pod: ${message}`));
    }
  }
}
