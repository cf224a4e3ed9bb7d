import type { ObjectName } from '../../client/rest/client.ts';
import { retryOnConflict } from '../../client/reconcile/retry-on-conflict.ts';
import type { ServiceAccount } from '../../generated/types/core-v1.ts';

export interface ReferenceSteps {
  readonly cachedAccount: (name: ObjectName) => ServiceAccount | undefined;
  readonly readAccount: (name: ObjectName) => Promise<ServiceAccount | undefined>;
  readonly updateAccount: (account: ServiceAccount) => Promise<unknown>;
}

/** A secret is gone: its account names it no longer. */
export async function removeReference(name: ObjectName, secret: string, steps: ReferenceSteps): Promise<void> {
  const refers = (account: ServiceAccount | undefined): account is ServiceAccount =>
    account?.secrets?.some((reference) => reference.name === secret) ?? false;
  if (!refers(steps.cachedAccount(name))) return;
  await retryOnConflict(async () => {
    const account = await steps.readAccount(name);
    if (!refers(account)) return;
    await steps.updateAccount({ ...account, secrets: account.secrets!.filter((other) => other.name !== secret) });
  });
}
