import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ConfigMap } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';

export const NAMESPACE = 'kube-system';
export const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const SINCE = 'since';

/** Sets the day where there is none: one that is there stays, what is no day is replaced. */
export async function reconcile(configMap: SingleObject<ConfigMap>, nowMs: number): Promise<void> {
  const current = await configMap.read();
  const today = dayOf(nowMs);
  if (current === undefined)
    await configMap.create({ metadata: { name: NAME, namespace: NAMESPACE }, data: { [SINCE]: today } });
  else if (!isDay(getKey<string>(current.data, SINCE) ?? ''))
    await configMap.update({ ...current, data: { ...current.data, [SINCE]: today } });
}

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** `2006-01-02`, in UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
