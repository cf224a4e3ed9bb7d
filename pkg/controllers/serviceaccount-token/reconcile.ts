import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ObjectName } from '../../client/rest/client.ts';
import type { Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import type { TokenContent } from './sign-token.ts';
import { ACCOUNT_NAME, ACCOUNT_UID } from './token-secret.ts';

export interface TokenSteps {
  /** PEM; empty: secrets get none. */
  readonly rootCa: string;
  readonly sign: (content: TokenContent) => string;
  readonly cachedAccount: (name: ObjectName) => ServiceAccount | undefined;
  readonly readAccount: (name: ObjectName) => Promise<ServiceAccount | undefined>;
  readonly readSecret: (name: ObjectName) => Promise<Secret | undefined>;
  readonly updateSecret: (secret: Secret) => Promise<unknown>;
  /** That one alone, and no later one of its name. */
  readonly deleteSecret: (secret: Secret) => Promise<void>;
}

/** One token secret, as the informer shows it. */
export async function reconcile(secret: Secret, steps: TokenSteps): Promise<void> {
  if (secret.metadata.deletionTimestamp !== undefined) return;
  const account = await accountOf(secret, steps);
  try {
    if (account === undefined) await steps.deleteSecret(secret);
    else await fill(secret, account, steps);
  } catch (error) {
    // The informer shows what it is now soon.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** The account that the secret is for; an account that the informer does not show may be new. */
async function accountOf({ metadata }: Secret, steps: TokenSteps): Promise<ServiceAccount | undefined> {
  const name = { namespace: metadata.namespace ?? '', name: getKey<string>(metadata.annotations, ACCOUNT_NAME) ?? '' };
  if (name.name === '') return undefined;
  const uid = getKey<string>(metadata.annotations, ACCOUNT_UID) ?? '';
  const isWanted = (account: ServiceAccount | undefined): account is ServiceAccount =>
    account !== undefined && (uid === '' || uid === account.metadata.uid);
  const cached = steps.cachedAccount(name);
  if (isWanted(cached)) return cached;
  const read = await steps.readAccount(name);
  return isWanted(read) ? read : undefined;
}

async function fill(cached: Secret, account: ServiceAccount, steps: TokenSteps): Promise<void> {
  if (missingData(cached, account, steps) === undefined) return;
  const { namespace = '', name = '', uid, resourceVersion } = cached.metadata;
  const secret = await steps.readSecret({ namespace, name });
  // A later state comes by the informer.
  if (secret === undefined || secret.metadata.uid !== uid) return;
  if (secret.metadata.resourceVersion !== resourceVersion) return;
  const annotations = {
    ...secret.metadata.annotations,
    [ACCOUNT_NAME]: account.metadata.name!,
    [ACCOUNT_UID]: account.metadata.uid!,
  };
  const data = { ...secret.data, ...missingData(secret, account, steps) };
  await steps.updateSecret({ ...secret, metadata: { ...secret.metadata, annotations }, data });
}

/** What the secret lacks, in base64; undefined where it is complete. */
function missingData(
  { data, metadata }: Secret,
  account: ServiceAccount,
  { rootCa, sign }: TokenSteps,
): Record<string, string> | undefined {
  const missing: Record<string, string> = {};
  const ca = base64(rootCa);
  if (ca !== '' && getKey(data, 'ca.crt') !== ca) missing['ca.crt'] = ca;
  if (!getKey(data, 'namespace')) missing['namespace'] = base64(metadata.namespace!);
  if (!getKey(data, 'token')) {
    const [namespace, secret] = [metadata.namespace!, metadata.name!];
    missing['token'] = base64(sign({ namespace, secret, account: account.metadata.name!, uid: account.metadata.uid! }));
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
