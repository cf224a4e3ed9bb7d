import type { PodInfo } from './pod-info.ts';

/** Pods for which room is being made on a node: pods that are less important must not take it. */
export class Nominations {
  private readonly byPod = new Map<string, { readonly nodeName: string; readonly pod: PodInfo }>();

  /** The node that a pod waits for. */
  nodeOf(uid: string): string | undefined {
    return this.byPod.get(uid)?.nodeName;
  }

  set(pod: PodInfo, nodeName: string): void {
    this.byPod.set(pod.uid, { nodeName, pod });
  }

  /** Gives the pod with the node that was kept for it. */
  remove(uid: string): PodInfo | undefined {
    const found = this.byPod.get(uid);
    this.byPod.delete(uid);
    return found === undefined ? undefined : { ...found.pod, nodeName: found.nodeName };
  }

  /** Pods that wait for the node and count before one of this priority. */
  on(nodeName: string, { uid, priority }: PodInfo): readonly PodInfo[] {
    if (this.byPod.size === 0) return [];
    return [...this.byPod.values()].flatMap((one) =>
      one.nodeName === nodeName && one.pod.uid !== uid && one.pod.priority >= priority ? [one.pod] : [],
    );
  }
}
