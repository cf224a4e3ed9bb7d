import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/**
 * Ids of clients that are taken over: visible characters, so that they can stand in headers, logs and events as they
 * are.
 */
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * The id under which a request is written down: the one that its `Audit-Id` header gives, by which a front proxy finds
 * it again, or a new one.
 */
export function auditIdOf({ headers }: Pick<Exchange, 'headers'>): string {
  const given = headers['audit-id'];
  return typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID();
}
