import { signJsonWebToken } from '../jwt/json-web-token.ts';
import { boundTokenClaims, type BoundTokenContent } from './bound-token.ts';
import type { SigningKey } from './verification-keys.ts';

/** Makes bound tokens of service accounts. */
export interface TokenIssuer {
  /** Audiences of tokens that are requested without any. */
  readonly defaultAudiences: readonly string[];
  /** No token is valid for longer; 0: no bound. */
  readonly validSecondsMax: number;
  /** Tokens that pods mount at the usual place are valid for longer than requested. */
  readonly extendsExpiry: boolean;
  issue(content: BoundTokenContent, nowMs: number): string;
}

export interface TokenIssuerSettings extends Omit<TokenIssuer, 'issue'> {
  /** Written into `iss`. */
  readonly issuer: string;
  readonly key: SigningKey;
}

export function tokenIssuer({ issuer, key, ...rules }: TokenIssuerSettings): TokenIssuer {
  return {
    ...rules,
    issue: (content, nowMs) =>
      signJsonWebToken(boundTokenClaims(content, issuer, nowMs), key.privateKey, key.algorithm, key.id),
  };
}
