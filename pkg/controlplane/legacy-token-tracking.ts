import { getKey, setKey } from '../apimachinery/json/own-keys.ts';
import { dayOf } from '../authentication/service-account/legacy-token-labels.ts';
import type { ConfigMap } from '../generated/types/core-v1.ts';
import { changeOwn, createOwnIfAbsent } from '../registry/own-writes.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { PeriodicTask } from './periodic-task.ts';

/**
 * The config map that says since when the uses of tokens from secrets are tracked: tokens without a mark may have been
 * used before that day.
 */
const NAMESPACE = 'kube-system';
const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const SINCE = 'since';

/** Time between two looks at whether it is still there. */
const LOOK_MS = 60_000;

/** Makes the config map, then keeps it there. Rejects when the first time fails. */
export async function keepLegacyTokenTracking(
  configMaps: ResourceStore,
  onError: (error: unknown, where: string) => void,
): Promise<PeriodicTask> {
  const keep = (): Promise<void> => ensureTrackingSince(configMaps, Date.now());
  await keep();
  return new PeriodicTask(LOOK_MS, keep, (error) => onError(error, 'tracking of legacy tokens'));
}

/** A day that stands there already stays; what is no day is replaced. */
export async function ensureTrackingSince(configMaps: ResourceStore, nowMs: number): Promise<void> {
  await createOwnIfAbsent(configMaps, {
    metadata: { name: NAME, namespace: NAMESPACE },
    data: { [SINCE]: dayOf(nowMs) },
  });
  const found = (await configMaps.newest(configMaps.keyOf(NAMESPACE, NAME)))?.object() as ConfigMap | undefined;
  if (found === undefined || isDay(getKey<string>(found.data, SINCE) ?? '')) return;
  await changeOwn<ConfigMap>(configMaps, NAMESPACE, NAME, (object) => {
    object.data ??= {};
    setKey(object.data, SINCE, dayOf(nowMs));
  });
}

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}
