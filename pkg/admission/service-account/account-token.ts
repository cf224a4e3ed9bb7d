import { secrets } from '../../api/core/tokens.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { failureStatus, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import type { ObjectLookup } from '../object-lookup.ts';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const RETRY_AFTER_SECONDS = 1;

/** The first secret in an account's list that holds its token. Throws a retryable error when there is none yet. */
export async function tokenSecretOf(lookup: ObjectLookup, account: ServiceAccount): Promise<string> {
  const namespace = account.metadata.namespace ?? '';
  for (const { name = '' } of account.secrets ?? []) {
    const secret = await lookup.get(secrets, namespace, name);
    if (secret !== undefined && holdsTokenOf(secret, account)) return name;
  }
  const message = `No API token found for service account ${goQuote(account.metadata.name ?? '')}, retry after the token is automatically created and added to the service account`;
  throw new StatusError(
    failureStatus(500, 'ServerTimeout', message, {
      kind: 'serviceaccounts',
      name: 'create pod',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
  );
}

function holdsTokenOf({ type, metadata }: Secret, account: ServiceAccount): boolean {
  return (
    type === TYPE &&
    getKey(metadata.annotations, ACCOUNT_NAME) === account.metadata.name &&
    getKey(metadata.annotations, ACCOUNT_UID) === account.metadata.uid
  );
}
