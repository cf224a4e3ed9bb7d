/** Namespaces of the workload: nothing else on a server that is measured should bear these names. */
export const namespaces = {
  /** The pods that rows read and change. */
  pods: 'binnacle-bench-pods',
  /** Pods created and deleted again to warm a server up. */
  warmUp: 'binnacle-bench-warm',
  /** Pods that only make the store larger. */
  more: 'binnacle-bench-more',
  /** Pods of nodes that watch their own. */
  nodes: 'binnacle-bench-nodes',
  /** The ConfigMaps that are watched. */
  watch: 'binnacle-bench-watch',
} as const;

/** Pods of one application: with 50 applications, 60 of 3,000. */
export const applications = 50;

export function podName(index: number): string {
  return `${applicationOf(index)}-${(0x9e37 + index * 40503).toString(16).padStart(8, '0')}-${index.toString(36).padStart(5, 'x')}`;
}

export function applicationOf(index: number): string {
  return `app-${String(index % applications).padStart(2, '0')}`;
}

export function nodeName(index: number): string {
  return `node-${String(index).padStart(4, '0')}.zone-a.cluster.internal`;
}

export function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

export function configMapsPath(): string {
  return `/api/v1/namespaces/${namespaces.watch}/configmaps`;
}
