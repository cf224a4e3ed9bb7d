import type { Namespace } from '../../generated/types/core-v1.ts';
import { createAccounts, type AccountName } from './create-accounts.ts';

export interface ServiceAccountSteps {
  readonly namespaceOf: (name: string) => Namespace | undefined;
  readonly hasAccount: (account: AccountName) => boolean;
  readonly createAccount: (account: AccountName) => Promise<void>;
}

/** One namespace: nothing to do where it is gone or ends. */
export async function reconcile(namespace: string, steps: ServiceAccountSteps): Promise<void> {
  if (steps.namespaceOf(namespace)?.status?.phase !== 'Active') return;
  await createAccounts(namespace, steps);
}
