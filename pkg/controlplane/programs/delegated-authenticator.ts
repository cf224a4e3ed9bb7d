import type { X509Certificate } from 'node:crypto';
import { tokenReviews } from '../../api/authentication/tokens.ts';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import { anonymousAuthenticator } from '../../authentication/anonymous/authenticator.ts';
import type { RequestAuthenticator, TokenAuthenticator } from '../../authentication/authenticator.ts';
import { bearerTokenAuthenticator } from '../../authentication/bearer-token.ts';
import { clientCertificateAuthenticator } from '../../authentication/client-certificate/authenticator.ts';
import { readAuthorities, type Authorities } from '../../authentication/client-certificate/authorities.ts';
import {
  certificateVerifier,
  type VerifiedCertificate,
} from '../../authentication/client-certificate/certificate-verifier.ts';
import { readText } from '../../authentication/option-files.ts';
import { requestHeaderAuthenticator } from '../../authentication/request-header/authenticator.ts';
import { cachedTokens, type TokenCacheObserver } from '../../authentication/token-cache/token-cache.ts';
import { tokenWebhookAuthenticator } from '../../authentication/token-webhook/authenticator.ts';
import { addingAuthenticatedGroup } from '../../authentication/union/authenticated-group.ts';
import { requestUnion } from '../../authentication/union/request-union.ts';
import type { Client } from '../../client/rest/client.ts';
import type { AuthenticationTrust, RequestHeaderTrust } from '../../controllers/cluster-authentication-trust/trust.ts';
import { reloadedFiles } from '../../options/reloaded-files.ts';
import type { AccessConfig } from './program-config.ts';

export interface DelegatedAuthenticatorOptions {
  readonly config: AccessConfig;
  /** May create TokenReviews. */
  readonly client: Pick<Client, 'create'>;
  /** Whom the cluster believes; the same object until that changes. */
  readonly trust: () => AuthenticationTrust;
  readonly tokenCache: TokenCacheObserver;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * Authenticates requests as the API server would: certificates of the same authorities, proxies that it believes, and
 * tokens, which it reviews.
 */
export class DelegatedAuthenticator implements RequestAuthenticator {
  readonly name = 'Delegated';
  private readonly options: DelegatedAuthenticatorOptions;
  private readonly tokens: TokenAuthenticator;
  private readonly clientCa: () => string;
  private readonly proxyCa: () => string;
  private built: { readonly key: string; readonly union: RequestAuthenticator } | undefined;

  constructor(options: DelegatedAuthenticatorOptions) {
    const { config, client, tokenCache } = options;
    this.options = options;
    this.clientCa = this.followed(config.clientCaFile);
    this.proxyCa = this.followed(config.requestHeader.caFile);
    const review = { name: 'API server', call: (body: object) => client.create(tokenReviews, body as never) };
    this.tokens = cachedTokens(tokenWebhookAuthenticator({ client: review, version: 'v1', audiences: [] }), {
      knownMs: config.tokenTtlMs,
      unknownMs: config.tokenTtlMs,
      nowMs: steadyMs,
      observer: tokenCache,
    });
  }

  /** Authorities whose certificates clients are asked for, PEM; empty: none are believed. */
  get authorities(): string {
    return [this.clientAuthorities(), this.proxies()?.ca ?? ''].filter((pem) => pem !== '').join('\n');
  }

  authenticate(
    ...[credentials]: Parameters<RequestAuthenticator['authenticate']>
  ): ReturnType<RequestAuthenticator['authenticate']> {
    return this.union().authenticate(credentials);
  }

  /** Built again when authorities or headers have changed. */
  private union(): RequestAuthenticator {
    const clients = this.clientAuthorities();
    const proxies = this.proxies();
    const key = JSON.stringify([clients, proxies]);
    if (this.built?.key !== key) this.built = { key, union: this.build(clients, proxies) };
    return this.built.union;
  }

  private build(clients: string, proxies: RequestHeaderTrust | undefined): RequestAuthenticator {
    const ways = [
      ...(proxies === undefined
        ? []
        : [
            requestHeaderAuthenticator({
              ...proxies,
              extraPrefixes: proxies.extraHeaderPrefixes,
              verify: verifier(proxies.ca),
            }),
          ]),
      ...(clients === '' ? [] : [clientCertificateAuthenticator(verifier(clients), () => undefined)]),
      bearerTokenAuthenticator(this.tokens),
    ];
    return addingAuthenticatedGroup(requestUnion(ways, anonymousAuthenticator));
  }

  private clientAuthorities(): string {
    return [this.clientCa(), this.options.trust().clientCa ?? ''].filter((pem) => pem !== '').join('\n');
  }

  /** The options win over what the cluster says. */
  private proxies(): RequestHeaderTrust | undefined {
    const { requestHeader } = this.options.config;
    const ca = this.proxyCa();
    if (ca === '') return this.options.trust().requestHeader;
    return {
      ca,
      usernameHeaders: requestHeader.usernameHeaders,
      groupHeaders: requestHeader.groupHeaders,
      extraHeaderPrefixes: requestHeader.extraPrefixes,
      allowedNames: requestHeader.allowedNames,
    };
  }

  private followed(file: string): () => string {
    if (file === '') return () => '';
    const { onError } = this.options;
    return reloadedFiles({
      files: [file],
      read: () => {
        const pem = readText(file);
        readAuthorities(pem);
        return pem;
      },
      onError: (error) => onError(error, `reading ${file} again`),
      nowMs: steadyMs,
    });
  }
}

function verifier(pem: string): (certificate: X509Certificate) => VerifiedCertificate {
  const authorities: Authorities = readAuthorities(pem);
  return certificateVerifier(() => authorities, Date.now);
}
