import { setTimeout as sleep } from 'node:timers/promises';
import { serviceAccounts } from '../../api/core/tokens.ts';
import type { ServiceAccount } from '../../generated/types/core-v1.ts';
import type { ObjectLookup } from '../object-lookup.ts';

/** The account that a controller creates in every namespace. */
export const DEFAULT_ACCOUNT = 'default';

/** How long to wait for it in a namespace that was just created. */
export interface Patience {
  readonly attempts: number;
  readonly pauseMs: number;
}
export const defaultPatience: Patience = { attempts: 10, pauseMs: 100 };

/** Undefined where the account does not exist; the default account is waited for. */
export async function findAccount(
  lookup: ObjectLookup,
  namespace: string,
  name: string,
  patience: Patience,
): Promise<ServiceAccount | undefined> {
  const attempts = name === DEFAULT_ACCOUNT ? patience.attempts : 1;
  for (let attempt = 1; ; attempt++) {
    const found = await lookup.get(serviceAccounts, namespace, name);
    if (found !== undefined || attempt >= attempts) return found;
    await sleep(patience.pauseMs);
  }
}
