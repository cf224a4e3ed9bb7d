import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';
import { getJson } from '../../webhooks/https-get.ts';
import type { JsonWebToken } from '../jwt/json-web-token.ts';
import { verifySignature } from '../jwt/signature-algorithms.ts';

export interface IssuerKeysSettings {
  /** HTTPS; tokens and the discovery document name it letter by letter. */
  readonly issuer: string;
  /** PEM; absent: the host's authorities. */
  readonly ca?: string;
  readonly nowMs: () => number;
}

interface IssuerKey {
  readonly id: string | undefined;
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

const FETCH = { timeoutMs: 10_000, answerBytesMax: 1024 * 1024 };
const KEYS_MAX = 100;
/**
 * How often an issuer is called: some times at once, so that new keys are found when they are used, then every ten
 * seconds.
 */
const ASKING = { burst: 5, perSecond: 0.1 };

/**
 * The keys of an OpenID issuer (OpenID Connect Discovery 1.0). Fetched when the first token needs them, so that a
 * server starts while the issuer is down, and again when none of them signed a token: issuers add keys, and change them
 * under their names. Since any client can send such tokens, the rate is limited. Lookups in flight are shared.
 */
export class IssuerKeys {
  private readonly settings: IssuerKeysSettings;
  private readonly asking: TokenBucket;
  private keysUri: URL | undefined;
  private keys: readonly IssuerKey[] | undefined;
  private fetching: Promise<void> | undefined;

  constructor(settings: IssuerKeysSettings) {
    this.settings = settings;
    this.asking = new TokenBucket(ASKING, settings.nowMs);
  }

  /** Whether a key of the issuer signed the token. Throws when the issuer cannot be reached and no key is known yet. */
  async signed(token: JsonWebToken): Promise<boolean> {
    if (this.isSignedByKnown(token)) return true;
    try {
      await this.refresh();
    } catch (error) {
      if (this.keys === undefined) throw error;
      return false;
    }
    return this.isSignedByKnown(token);
  }

  private isSignedByKnown(token: JsonWebToken): boolean {
    return (this.keys ?? []).some(
      ({ id, algorithm, key }) =>
        (token.keyId === undefined || id === undefined || token.keyId === id) &&
        (algorithm ?? token.algorithm) === token.algorithm &&
        verifySignature(token.algorithm, key, token.input, token.signature),
    );
  }

  private async refresh(): Promise<void> {
    if (this.fetching === undefined) {
      if (this.asking.take() > 0) {
        if (this.keys === undefined)
          throw new Error(`the issuer ${this.settings.issuer} was out of reach and is not asked again yet`);
        return;
      }
      this.fetching = this.fetch().finally(() => {
        this.fetching = undefined;
      });
    }
    await this.fetching;
  }

  private async fetch(): Promise<void> {
    const settings = { ...FETCH, ca: this.settings.ca };
    this.keysUri ??= keysUriOf(
      await getJson(new URL(`${this.settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), settings),
      this.settings.issuer,
    );
    this.keys = keysOf(await getJson(this.keysUri, settings));
  }
}

function keysUriOf(document: unknown, issuer: string): URL {
  const named = getKey(document as object | null, 'issuer');
  if (named !== issuer) throw new Error(`the discovery document of ${issuer} is of another issuer`);
  const uri = getKey(document as object, 'jwks_uri');
  if (typeof uri !== 'string' || !URL.canParse(uri))
    throw new Error(`the discovery document of ${issuer} does not say where its keys are`);
  return new URL(uri);
}

function keysOf(document: unknown): readonly IssuerKey[] {
  const keys = getKey(document as object | null, 'keys');
  if (!Array.isArray(keys)) throw new Error("the issuer's key set holds no keys");
  return keys.slice(0, KEYS_MAX).flatMap((jwk: unknown) => {
    const key = keyOf(jwk);
    return key === undefined ? [] : [key];
  });
}

/** Undefined for keys that are not for signatures, are secrets, or are invalid. */
function keyOf(jwk: unknown): IssuerKey | undefined {
  const text = (name: string): string | undefined => {
    const value = getKey(jwk as object | null, name);
    return typeof value === 'string' ? value : undefined;
  };
  if (text('kty') !== 'RSA' && text('kty') !== 'EC') return undefined;
  if ((text('use') ?? 'sig') !== 'sig') return undefined;
  try {
    return { id: text('kid'), algorithm: text('alg'), key: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }) };
  } catch {
    // A key of a form that this runtime does not support is ignored: the issuer may publish others.
    return undefined;
  }
}
