import { systemClock, type Clock } from '../apimachinery/clock.ts';
import { serviceAccounts } from '../api/core/tokens.ts';
import type { TokenRequest } from '../generated/types/authentication-v1.ts';
import type { TokenSource } from './client-credentials.ts';
import type { Client, ObjectName } from './rest/client.ts';

export interface ServiceAccountTokenOptions {
  /** Default: those of the API server. */
  readonly audiences?: readonly string[];
  /** Default one hour. */
  readonly expirationSeconds?: number;
  readonly clock?: Clock;
}

const EXPIRATION_SECONDS = 3600;
/** Share of its lifetime after which a token is replaced. */
const RENEW_AT = 0.8;

/**
 * A token of a service account, asked of the server (TokenRequest) when there is none, and again before it ends:
 * credentials for a `RestClient` that acts as the account. Calls at the same time share one request.
 */
export class ServiceAccountToken implements TokenSource {
  private readonly client: Client;
  private readonly account: Required<ObjectName>;
  private readonly options: ServiceAccountTokenOptions;
  private readonly clock: Clock;
  private known: { readonly token: string; readonly renewMs: number } | undefined;
  private asking: Promise<string> | undefined;

  /** `client` may create tokens of the account. */
  constructor(client: Client, account: Required<ObjectName>, options: ServiceAccountTokenOptions = {}) {
    this.client = client;
    this.account = account;
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  async current(): Promise<string> {
    if (this.known !== undefined && this.clock.steadyMs() < this.known.renewMs) return this.known.token;
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  expire(): void {
    this.known = undefined;
  }

  private async ask(): Promise<string> {
    const { audiences = [], expirationSeconds = EXPIRATION_SECONDS } = this.options;
    const askedMs = this.clock.steadyMs();
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [...audiences], expirationSeconds },
    };
    const call = { method: 'POST', body } as const;
    const { spec, status } = await this.client.subresource<TokenRequest>(serviceAccounts, this.account, 'token', call);
    // The server may have granted another lifetime.
    const seconds = Number(spec.expirationSeconds ?? expirationSeconds);
    this.known = { token: status.token, renewMs: askedMs + seconds * 1000 * RENEW_AT };
    return status.token;
  }
}
