import type { Namespace } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';

/** Namespaces that every cluster has. */
export const systemNamespaces: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the namespace where it is missing; one that ends is left to end before. */
export async function reconcile(
  name: string,
  namespace: Pick<SingleObject<Namespace>, 'read' | 'create'>,
): Promise<void> {
  if ((await namespace.read()) !== undefined) return;
  await namespace.create({ metadata: { name }, spec: {}, status: {} });
}
