import { isNamespaceTerminating, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ConfigMap, Namespace } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';

export const CONFIG_MAP = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
/** As every cluster has it: other programs compare it. */
const DESCRIPTION_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

export interface PublishSteps extends SingleObject<ConfigMap> {
  readonly namespaceOf: (name: string) => Namespace | undefined;
}

/** One namespace: its config map holds the certificates and nothing else. */
export async function reconcile(namespace: string, rootCa: string, steps: PublishSteps): Promise<void> {
  if (steps.namespaceOf(namespace)?.status?.phase !== 'Active') return;
  const data = { 'ca.crt': rootCa };
  const current = await steps.read();
  if (current === undefined) return create(namespace, data, steps);
  const { annotations } = current.metadata;
  if (deepEqual(current.data, data) && getKey(annotations, DESCRIPTION)) return;
  const metadata = { ...current.metadata, annotations: { ...annotations, [DESCRIPTION]: DESCRIPTION_TEXT } };
  await steps.update({ ...current, metadata, data });
}

async function create(namespace: string, data: Record<string, string>, steps: PublishSteps): Promise<void> {
  const metadata = { namespace, name: CONFIG_MAP, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } };
  try {
    await steps.create({ metadata, data });
  } catch (error) {
    // The namespace has begun to end.
    if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}
