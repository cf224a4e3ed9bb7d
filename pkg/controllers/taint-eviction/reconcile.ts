import type { Node, Pod } from '../../generated/types/core-v1.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import { evictingTaints, evictionDelay } from './eviction-delay.ts';

/** A pod that is to go. */
interface Plan {
  readonly uid: string;
  /** Of the steady clock. */
  readonly atMs: number;
  /** It was deleted: it is not deleted again. */
  readonly isDone: boolean;
}

export interface TaintEvictionSteps {
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  readonly node: (name: string) => Node | undefined;
  /** `plannedMs`: when it was to go, of the steady clock. */
  readonly evict: (pod: Pod, plannedMs: number) => Promise<void>;
  readonly cancelled: (namespace: string, name: string, pod: Pod | undefined) => void;
  readonly steadyMs: () => number;
}

/** When the pods of tainted nodes go. The time of a pod runs from when its taint was first seen. */
export class Evictions {
  private readonly plans = new Map<string, Plan>();
  private readonly steps: TaintEvictionSteps;

  constructor(steps: TaintEvictionSteps) {
    this.steps = steps;
  }

  has(key: string): boolean {
    return this.plans.has(key);
  }

  /** `key`: `namespace/name` of a pod. Gives the milliseconds until it goes. */
  async reconcile(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const { pod: podOf, node: nodeOf, steadyMs } = this.steps;
    const pod = podOf(namespace, name);
    const known = this.plans.get(key);
    if (known !== undefined && known.uid !== pod?.metadata.uid) this.cancel(key, undefined);
    if (pod === undefined) return undefined;
    const node = nodeOf(pod.spec.nodeName ?? '');
    // The pods of a node that is gone go as planned.
    const delayMs =
      node === undefined ? this.leftMs(key) : evictionDelay(evictingTaints(node), pod.spec.tolerations ?? []);
    if (delayMs === Infinity) return this.cancel(key, pod);
    if (delayMs > 0) {
      // A plan stays as it was made, whatever taints come later.
      if (!this.plans.has(key))
        this.plans.set(key, { uid: pod.metadata.uid!, atMs: steadyMs() + delayMs, isDone: false });
      const leftMs = this.leftMs(key);
      if (leftMs > 0) return leftMs === Infinity ? undefined : leftMs;
    }
    return this.evict(key, pod, delayMs === 0);
  }

  private async evict(key: string, pod: Pod, isAtOnce: boolean): Promise<undefined> {
    const plan = this.plans.get(key);
    if (plan?.isDone === true) return;
    // Its time has not come, but has ended.
    if (isAtOnce && plan !== undefined && plan.atMs > this.steps.steadyMs()) this.cancel(key, pod);
    const nowMs = this.steps.steadyMs();
    await this.steps.evict(pod, isAtOnce ? nowMs : (plan?.atMs ?? nowMs));
    this.plans.set(key, { uid: pod.metadata.uid!, atMs: this.steps.steadyMs(), isDone: true });
  }

  /** Infinity: it does not go, or has gone. */
  private leftMs(key: string): number {
    const plan = this.plans.get(key);
    return plan === undefined || plan.isDone ? Infinity : Math.max(0, plan.atMs - this.steps.steadyMs());
  }

  private cancel(key: string, pod: Pod | undefined): undefined {
    const plan = this.plans.get(key);
    this.plans.delete(key);
    if (plan === undefined || plan.isDone) return;
    const { namespace, name } = splitKey(key);
    this.steps.cancelled(namespace, name, pod);
  }
}
