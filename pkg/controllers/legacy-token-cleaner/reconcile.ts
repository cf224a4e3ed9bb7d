import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { secretNames } from '../../api/core/pod-spec/secret-names.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ObjectName } from '../../client/rest/client.ts';
import type { ConfigMap, Pod, Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import { ACCOUNT_NAME, ACCOUNT_UID } from '../serviceaccount-token/token-secret.ts';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const DAY_MS = 24 * 3600_000;

export interface CleanerSteps {
  readonly nowMs: number;
  /** A token that was not used for so long is marked; one that is marked for so long is deleted. */
  readonly cleanUpMs: number;
  /** Says since which day uses of tokens are written down. */
  readonly tracking: () => ConfigMap | undefined;
  readonly secrets: () => readonly Secret[];
  readonly accountOf: (name: ObjectName) => ServiceAccount | undefined;
  readonly podsIn: (namespace: string) => readonly Pod[];
  readonly label: (secret: Secret, labels: Readonly<Record<string, string>>) => Promise<unknown>;
  /** As it is, and no later state of it. */
  readonly deleteSecret: (secret: Secret) => Promise<void>;
  readonly onError: (error: unknown, secret: Secret) => void;
}

/** Looks at all token secrets once. What fails for one holds up no other. */
export async function reconcile(steps: CleanerSteps): Promise<void> {
  const { nowMs, cleanUpMs } = steps;
  const since = getKey<string>(steps.tracking()?.data, 'since');
  // That day is in no time zone: the tokens that were used on it are known from the next on.
  if (since === undefined || !isDay(since) || dayMs(since) + DAY_MS > nowMs - cleanUpMs) return;
  const referred = new Map<string, ReadonlySet<string>>();
  for (const secret of steps.secrets()) {
    if (!isUnused(secret, steps) || isReferenced(secret, steps, referred)) continue;
    try {
      await invalidateOrDelete(secret, steps);
    } catch (error) {
      // Changed meanwhile: it is looked at the next time.
      if (!isConflict(error) && !isNotFound(error)) steps.onError(error, secret);
    }
  }
}

async function invalidateOrDelete(secret: Secret, { nowMs, cleanUpMs, ...steps }: CleanerSteps): Promise<void> {
  const invalidSince = getKey<string>(secret.metadata.labels, INVALID_SINCE) ?? '';
  if (!isDay(invalidSince)) await steps.label(secret, { [INVALID_SINCE]: dayOf(nowMs) });
  else if (invalidSince < dayOf(nowMs - cleanUpMs)) await steps.deleteSecret(secret);
}

/** One that a control plane of an old release made for an account, and whose token was not used for long. */
function isUnused({ metadata }: Secret, { nowMs, cleanUpMs, accountOf }: CleanerSteps): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  if (Date.parse(metadata.creationTimestamp ?? '') >= nowMs - cleanUpMs) return false;
  const lastUsed = getKey<string>(metadata.labels, LAST_USED);
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= dayOf(nowMs - cleanUpMs))) return false;
  const name = getKey<string>(metadata.annotations, ACCOUNT_NAME) ?? '';
  const uid = getKey<string>(metadata.annotations, ACCOUNT_UID);
  const account = accountOf({ namespace: metadata.namespace ?? '', name });
  if (account === undefined || (uid && uid !== account.metadata.uid)) return false;
  return account.secrets?.some((reference) => reference.name === metadata.name) ?? false;
}

/** Pods of a namespace are looked at once for all its secrets. */
function isReferenced(
  { metadata: { namespace = '', name = '' } }: Secret,
  { podsIn }: CleanerSteps,
  referred: Map<string, ReadonlySet<string>>,
): boolean {
  let found = referred.get(namespace);
  if (found === undefined) {
    found = new Set(podsIn(namespace).flatMap(({ spec }) => secretNames(spec)));
    referred.set(namespace, found);
  }
  return found.has(name);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(dayMs(text)) && dayOf(dayMs(text)) === text;
}

function dayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** `2006-01-02`, in UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
