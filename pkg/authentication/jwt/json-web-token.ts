import { isUtf8 } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { JsonError, parseJson, stringifyJson } from '../../apimachinery/json/json.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { createSignature } from './signature-algorithms.ts';

/** A parsed token (RFC 7519, compact form). Its content is untrusted before its signature is verified. */
export interface JsonWebToken {
  readonly algorithm: string;
  /** Name of the key, if the token has one. */
  readonly keyId: string | undefined;
  readonly claims: Claims;
  /** The signed text. */
  readonly input: string;
  readonly signature: Buffer;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Longer ones are refused: they would cost much before their signature is known to be wrong. */
const LENGTH_MAX = 64 * 1024;
const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** Parses a token; undefined for texts that are no such token. */
export function parseJsonWebToken(token: string): JsonWebToken | undefined {
  if (token.length > LENGTH_MAX) return undefined;
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) return undefined;
  const [head, body, signature] = parts as [string, string, string];
  const header = decodeObject(head);
  const claims = decodeObject(body);
  const algorithm = getKey(header, 'alg');
  const keyId = getKey(header, 'kid');
  if (header === undefined || claims === undefined || typeof algorithm !== 'string') return undefined;
  // Critical extensions; this server knows none (RFC 7515, 4.1.11).
  if (Object.hasOwn(header, 'crit')) return undefined;
  if (keyId !== undefined && typeof keyId !== 'string') return undefined;
  return {
    algorithm,
    keyId: keyId === '' ? undefined : keyId,
    claims,
    input: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Makes a token. Claims are written in the order of their keys. */
export function signJsonWebToken(claims: Claims, key: KeyObject, algorithm: string, keyId: string): string {
  const input = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`;
  return `${input}.${createSignature(algorithm, key, input).toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(stringifyJson(value)).toString('base64url');
}

function decodeObject(text: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (!isUtf8(bytes)) return undefined;
  try {
    const value = parseJson(bytes);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
