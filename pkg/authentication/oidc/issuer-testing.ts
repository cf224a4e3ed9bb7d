import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { TestAuthority } from '../../net/certificates-testing.ts';
import {
  answerJson,
  startHttpsService,
  type HttpsService,
  type ServiceAnswer,
} from '../../net/https-service-testing.ts';
import { signJsonWebToken, type Claims } from '../jwt/json-web-token.ts';

/** For tests: an OpenID issuer, as a real HTTPS service. */

export interface IssuerKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function rsaKey(id: string, algorithm = 'RS256'): IssuerKey {
  return { id, algorithm, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

export class TestIssuer {
  readonly service: HttpsService;
  /** What is published. */
  keys: readonly IssuerKey[];
  /** Instead of the key set. */
  keySet: unknown;
  /** Merged into the discovery document. */
  discovery: Record<string, unknown> = {};
  /** Answers 503 to everything. */
  down = false;
  /** Its answers at other paths than those of the issuer. */
  readonly endpoints = new Map<string, ServiceAnswer>();

  private constructor(service: HttpsService, keys: readonly IssuerKey[]) {
    this.service = service;
    this.keys = keys;
    service.answerWith((request, response) => {
      const { path } = request;
      const endpoint = this.endpoints.get(path);
      if (endpoint !== undefined) return endpoint(request, response);
      if (this.down) return answerJson(response, {}, 503);
      if (path === '/.well-known/openid-configuration')
        return answerJson(response, { issuer: service.url, jwks_uri: `${service.url}/keys`, ...this.discovery });
      return path === '/keys'
        ? answerJson(response, this.keySet ?? keySetOf(this.keys))
        : answerJson(response, {}, 404);
    });
  }

  static async start(keys: readonly IssuerKey[], authority?: TestAuthority): Promise<TestIssuer> {
    return new TestIssuer(
      await startHttpsService((_request, response) => answerJson(response, {}), { authority }),
      keys,
    );
  }

  get url(): string {
    return this.service.url;
  }

  /** Requests since the last call, by path. */
  takeRequests(): string[] {
    return this.service.received.splice(0).map(({ path }) => path);
  }

  /** A token of this issuer for the client `kube`; claims given replace its own. */
  token(claims: Claims, nowMs: number, key = this.keys[0]!): string {
    const now = Math.floor(nowMs / 1000);
    return signJsonWebToken(
      { iss: this.url, aud: 'kube', sub: 'jane', iat: now, exp: now + 3600, ...claims },
      key.privateKey,
      key.algorithm,
      key.id,
    );
  }

  close(): Promise<void> {
    return this.service.close();
  }
}

function keySetOf(keys: readonly IssuerKey[]): unknown {
  return {
    keys: keys.map(({ id, algorithm, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: id,
      alg: algorithm,
      use: 'sig',
    })),
  };
}
