import { isAlreadyExists, isNotFound, StatusError } from '../../apimachinery/errors/status-error.ts';

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface AccountFunctions {
  readonly hasAccount: (account: AccountName) => boolean;
  readonly createAccount: (account: AccountName) => Promise<void>;
}

const ACCOUNTS = ['default'];

/** Creates the accounts that are missing. */
export async function createAccounts(namespace: string, functions: AccountFunctions): Promise<void> {
  for (const name of ACCOUNTS) {
    if (functions.hasAccount({ namespace, name })) continue;
    try {
      await functions.createAccount({ namespace, name });
    } catch (error) {
      if (!isSettled(error)) throw error;
    }
  }
}

/** Another writer was faster, or the namespace is deleted or ending. */
function isSettled(error: unknown): boolean {
  if (isAlreadyExists(error) || isNotFound(error)) return true;
  const causes = error instanceof StatusError ? error.status.details?.causes : undefined;
  return causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
