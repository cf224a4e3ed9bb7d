import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ConfigMap } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';
import { mergeTrust } from './merge-trust.ts';
import type { AuthenticationTrust } from './trust.ts';

export const NAMESPACE = 'kube-system';
export const NAME = 'extension-apiserver-authentication';

export interface TrustSteps {
  readonly trust: () => AuthenticationTrust;
  readonly configMap: SingleObject<ConfigMap>;
  readonly nowMs: number;
}

/** Publishes what the server believes; no config map is made where that is nothing. */
export async function reconcile({ trust, configMap, nowMs }: TrustSteps): Promise<void> {
  const believed = trust();
  if (believed.clientCa === undefined && believed.requestHeader === undefined) return;
  const current = await configMap.read();
  const data = mergeTrust(current?.data ?? {}, believed, nowMs);
  if (current === undefined) await configMap.create({ metadata: { name: NAME, namespace: NAMESPACE }, data });
  else if (!deepEqual(current.data ?? {}, data)) await configMap.update({ ...current, data });
}
