import { isAlreadyExists, isNotFound } from '../apimachinery/errors/status-error.ts';
import { serviceAccounts } from '../api/core/tokens.ts';
import type { TokenSource } from '../client/client-credentials.ts';
import type { Client, ObjectName } from '../client/rest/client.ts';
import { ServiceAccountToken } from '../client/service-account-token.ts';

/** The token of a controller's own account, which is made where it is missing. `client` may do both. */
export class AccountToken implements TokenSource {
  private readonly client: Client;
  private readonly account: Required<ObjectName>;
  private readonly token: ServiceAccountToken;

  constructor(client: Client, account: Required<ObjectName>) {
    this.client = client;
    this.account = account;
    this.token = new ServiceAccountToken(client, account);
  }

  async current(): Promise<string> {
    try {
      return await this.token.current();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.makeAccount();
      return this.token.current();
    }
  }

  expire(): void {
    this.token.expire();
  }

  private async makeAccount(): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...this.account } };
    try {
      await this.client.create(serviceAccounts, object);
    } catch (error) {
      // Another manager, or another call of this one, was faster.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
