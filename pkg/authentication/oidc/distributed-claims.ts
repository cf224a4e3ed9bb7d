import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import { getBytes } from '../../webhooks/https-get.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { blinded } from '../constant-time.ts';
import { textClaim } from '../jwt/claims.ts';
import { parseJsonWebToken, type Claims } from '../jwt/json-web-token.ts';
import { Issuer, namedIssuer, type IssuerSettings } from './issuer.ts';

/** The place from which a claim is fetched (OpenID Connect Core 1.0, 5.6.2). */
interface ClaimEndpoint {
  readonly url: string;
  readonly accessToken: string | undefined;
}

interface Fetched {
  readonly value: unknown;
  readonly untilMs: number;
}

const FETCH = { timeoutMs: 10_000, answerBytesMax: 64 * 1024 };
/**
 * How long an endpoint's answer is cached for more requests with the same token: as long as stock servers cache tokens.
 */
const REMEMBERED_MS = 10_000;
const ANSWERS_MAX = 1024;
const ISSUERS_MAX = 16;

/**
 * One claim that tokens may leave to another endpoint. Its answer is itself a token, and valid when the keys of its
 * issuer signed it for the same client: the token that led there confirms the endpoint, and HTTPS its answer.
 * Aggregated claims, which are embedded as a token, are ignored, as in stock servers.
 */
export class DistributedClaim {
  private readonly name: string;
  private readonly settings: Omit<IssuerSettings, 'issuer'>;
  private readonly issuers = new BoundedCache<Issuer>(ISSUERS_MAX);
  private readonly answers = new BoundedCache<Fetched>(ANSWERS_MAX);
  private readonly fetching = new Map<string, Promise<unknown>>();

  constructor(name: string, settings: Omit<IssuerSettings, 'issuer'>) {
    this.name = name;
    this.settings = settings;
  }

  /**
   * The claims of a verified token, with this one where the token says where it is. Throws `InvalidCredentials`;
   * another Error when the endpoint or its issuer cannot be reached.
   */
  async expand(claims: Claims): Promise<Claims> {
    if (Object.hasOwn(claims, this.name)) return claims;
    const endpoint = endpointOf(claims, this.name);
    if (endpoint === undefined) return claims;
    const expanded = { ...claims };
    setKey(expanded, this.name, await this.valueAt(endpoint));
    return expanded;
  }

  private async valueAt(endpoint: ClaimEndpoint): Promise<unknown> {
    const key = blinded(JSON.stringify([endpoint.url, endpoint.accessToken]));
    const known = this.answers.get(key);
    if (known !== undefined && this.settings.nowMs() < known.untilMs) return known.value;
    let fetching = this.fetching.get(key);
    if (fetching === undefined) {
      fetching = this.fetch(endpoint)
        .then((value) => {
          this.answers.set(key, { value, untilMs: this.settings.nowMs() + REMEMBERED_MS });
          return value;
        })
        .finally(() => this.fetching.delete(key));
      this.fetching.set(key, fetching);
    }
    return fetching;
  }

  private async fetch({ url, accessToken }: ClaimEndpoint): Promise<unknown> {
    if (!URL.canParse(url)) throw new InvalidCredentials('the endpoint of a claim is no URL');
    const answer = await getBytes(
      new URL(url),
      { accept: 'application/jwt', bearerToken: accessToken },
      { ...FETCH, ca: this.settings.ca },
    );
    const token = parseJsonWebToken(answer.toString('utf8').trim());
    const issuer = token === undefined ? undefined : namedIssuer(token.claims);
    if (token === undefined || issuer === undefined || !URL.canParse(issuer))
      throw new InvalidCredentials('the endpoint of a claim answered with no token of an issuer');
    await this.issuer(issuer).check(token);
    const value = getKey(token.claims, this.name);
    if (value === undefined) throw new InvalidCredentials(`the endpoint of the claim ${this.name} does not say it`);
    return value;
  }

  private issuer(name: string): Issuer {
    let issuer = this.issuers.get(name);
    if (issuer === undefined) this.issuers.set(name, (issuer = new Issuer({ ...this.settings, issuer: name })));
    return issuer;
  }
}

/** The endpoint of the claim; undefined where the token names none. Throws `InvalidCredentials` for invalid ones. */
function endpointOf(claims: Claims, name: string): ClaimEndpoint | undefined {
  const names = partOf(claims, '_claim_names');
  if (names === undefined) return undefined;
  const sources = partOf(claims, '_claim_sources');
  if (sources === undefined)
    throw new InvalidCredentials('the identity token names claims elsewhere and no source of them');
  if (getKey(names, name) === undefined) return undefined;
  const source = partOf(sources, textClaim(names, name) ?? '');
  if (source === undefined)
    throw new InvalidCredentials(`the identity token says nothing of the source of the claim ${name}`);
  const [url, accessToken] = [optionalText(source, 'endpoint'), optionalText(source, 'access_token')];
  return url === undefined ? undefined : { url, accessToken };
}

function partOf(claims: Claims, name: string): Claims | undefined {
  const value = getKey(claims, name);
  if (value === undefined) return undefined;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidCredentials(`the claim ${name} of the identity token is no object`);
  return value as Claims;
}

/** Undefined where it is absent or empty. */
function optionalText(claims: Claims, name: string): string | undefined {
  const value = getKey(claims, name) ?? '';
  if (typeof value !== 'string') throw new InvalidCredentials(`the ${name} of a source of claims is no text`);
  return value === '' ? undefined : value;
}
